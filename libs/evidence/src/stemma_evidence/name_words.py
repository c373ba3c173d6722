"""Capitalised words that are no names."""

from __future__ import annotations

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
        the a an this that these those it its we our they their he she his her i you your in on at by for from
        of to with and or but if as is are was were be been has have had will would shall should can could may
        might must not no all each every both some any most more less other one two three four five six seven
        eight nine ten first second third next last new there here what when where which who how why because
        since while after before during until under over about between monday tuesday wednesday thursday friday
        saturday sunday however therefore also only such so section chapter page table figure note appendix
        annex
        """,
        "de": """
        der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem diesen jeder jede
        jedes jedem jeden wir unser unsere sie ihr ihre ihren ihrem ihrer ihres er es neben hinter ich in im am
        an auf aus bei bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen und
        oder aber wenn als ist sind war waren wird werden wurde wurden hat haben hatte kann können soll sollen
        muss müssen darf nicht kein keine alle beide einige mehr erste zweite dritte montag dienstag mittwoch
        donnerstag freitag samstag sonntag
        """,
        "fr": """
        le la les un une des ce cette ces il elle nous notre nos vous votre ils elles leur leurs de du dans en
        sur pour par avec sans sous et ou mais si est sont a ont sera seront pas derrière ne tout toute tous
        toutes lundi mardi mercredi jeudi vendredi samedi dimanche l d que qui au aux
        """,
        "es": """
        el los las una unos unas este esta estos estas ese esa nosotros nuestro nuestra su sus del al con sin
        por para sobre entre además detrás y o pero es son fue será no todo toda todos todas lunes martes
        miércoles jueves viernes sábado domingo de la en que
        """,
        "it": """
        il lo gli i uno questo questa questi queste noi nostro nostra di da nel nella con su per tra fra ed ad
        oltre dietro ma è sono non tutto tutti lunedì martedì mercoledì giovedì venerdì sabato domenica la che
        le del della
        """,
        "nl": """
        het een dit dat deze wij ons onze zij hun van op te met voor door bij achter naast naar uit om en of
        maar is zijn was wordt worden heeft hebben niet geen maandag dinsdag woensdag donderdag vrijdag zaterdag
        zondag de in aan
        """,
        "pt": """
        o os as um uma uns umas isto isso nós nosso nossa seu sua seus suas do da dos das no na nos nas ao com
        sem por pelo pela além e ou mas se é são foi será não segunda terça quarta quinta sexta de em para que
        """,
    }.items()
}
"""Function words, weekdays and numerals that begin sentences."""

CAPTIONS: frozenset[str] = frozenset(
    "table figure tabelle abbildung tableau tabla figura cuadro tabella tavola tabel afbeelding figuur tabela"
    " quadro".split()
)
"""Words that stand before the title of a table or a picture."""

CAPITALISED: frozenset[str] = CAPTIONS.union(*FUNCTION_WORDS.values())


JOINING = frozenset("of de del della di da do dos des du la le van von der den zu für for and und et y e the &".split())

TITLES = frozenset(
    "Herr Herrn Frau Dr Prof Dipl Ing Mr Mrs Ms Messrs Mme Mlle Sr Sra Srta Dott Sig Dhr Mevr Firma".split()
)

FORMS = frozenset("GmbH AG KG SE Ltd Inc LLC SA SAS SARL SpA BV NV Lda".split())
