"""What a program writes into a document: the names of its furniture, headings, captions and remarks."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Word = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


class Words(BaseModel):
    """One field for each word or sentence; a part in braces is filled in. English defines which there are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # The document around the text.
    contents: Word
    figure: Word
    table: Word
    numbered: Word
    captioned: Word
    page: Word
    page_of: Word
    date: Word
    author: Word
    version: Word
    draft: Word
    note: Word
    tip: Word
    important: Word
    warning: Word
    caution: Word
    image_missing: Word
    appendix: Word
    untitled: Word
    not_written: Word
    not_approved: Word
    stale: Word
    end_of_comparison: Word
    # What of the inputs stands where.
    brief: Word
    source: Word
    sources: Word
    cited_page: Word
    cited_slide: Word
    cited_paragraph: Word
    cited_message: Word
    file: Word
    heading: Word
    reason: Word
    the_inputs: Word
    not_covered: Word
    open_requirements: Word
    matrix: Word
    demand: Word
    obligation: Word
    obligation_mandatory: Word
    obligation_should: Word
    obligation_option: Word
    answered_in: Word
    answer_status: Word
    answer_open: Word
    answer_addressed: Word
    answer_verified: Word
    answer_not_applicable: Word
    answers: Word
    left_out: Word
    not_comparable: Word
    language: Word
    amount: Word
    amounts: Word
    dates: Word
    figures: Word
    risks: Word
    people: Word
    statement: Word
    nothing_found: Word
    # Sections that code puts together of a model's answer.
    findings: Word
    open_questions: Word
    what_we_propose: Word
    it_answers: Word
    what_the_client_gains: Word
    from_need_to_solution: Word
    needs_and_answers: Word
    need: Word
    answer: Word
    evidence: Word
    what_remains_open: Word
    costs: Word
    costs_by_item: Word
    item: Word
    basis: Word
    amount_in: Word
    total: Word
    total_known: Word
    assumptions: Word
    # Documents of several authors, and reviews.
    key_decisions: Word
    open_review_findings: Word
    unmet_review: Word
    critical_findings: Word
    major_findings: Word
    minor_findings: Word
    to_mend: Word
    review_found_nothing: Word
    not_reviewed: Word
    incomplete: Word
    cut_off: Word
    failed: Word
    not_joined: Word
    general_writer: Word
    editor: Word
    content_strategist: Word
