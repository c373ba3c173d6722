"""Answers to requests that nobody waited for."""

from __future__ import annotations

from fastapi import APIRouter
from stemma_client import AnswerTimeoutError
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem, RequestAccepted

from stemma_gateway.authentication import Caller
from stemma_gateway.preferences import Preferred
from stemma_gateway.problems import NotFound

AT_HAND_S = 0.5
router = APIRouter(tags=["commands"])


@router.get("/requests/{request_id}")
async def show_answer(session: Caller, request_id: Token, preferences: Preferred) -> RequestAccepted:
    """The answer to a request: accepted, or the problem of a rejected one. It is kept for seven days."""
    try:
        return await session.client.answer(request_id, wait_s=max(preferences.wait_s, AT_HAND_S))
    except AnswerTimeoutError:
        raise NotFound(Problem.of("answer_unknown"), AT_HAND_S) from None
