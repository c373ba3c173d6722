"""Words across inflection and case, and the language that they are of."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache

import snowballstemmer

from stemma_evidence.claims.vocabulary import OPENING_WORDS

_ENDINGS = ("'s", "’s", "s", "es", "n", "en", "e", "er", "em", "ern", "i", "o", "a")
_LEAST = 3
_LOOKED_AT = 5000
_LATIN = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_TELLING = 120
"""Letters of a text that tells its language."""
_FEWEST_KNOWN = 0.15
"""The share of function words below which a text is in none of the languages; those have at least 0.18."""
_BEYOND_LATIN = "\u0370"
_EASTERN = re.compile(r"[\u3005-\u9fff]")
_HAN = re.compile(r"[\u3400-\u9fff]")


@lru_cache(maxsize=50_000)
def stems(word: str) -> frozenset[str]:
    """The forms that a word may be found by: itself and without the endings that inflection adds."""
    plain = word.casefold()
    cut = {plain[: -len(end)] for end in _ENDINGS if plain.endswith(end) and len(plain) - len(end) >= _LEAST}
    return frozenset(cut | {plain})


def language_of(text: str, default: str) -> str:
    """The language that a text is in, by its script and its function words; ``default`` if that is not clear."""
    seen = text[:_LOOKED_AT]
    if not seen.isascii() and _KANA.search(seen):
        return "ja"
    if not seen.isascii() and len(_HAN.findall(seen)) > len(seen) // 10:
        return "zh"
    known, total = _languages(), 0
    counts = dict.fromkeys((*OPENING_WORDS, default), 0)
    for word, times in Counter(_LATIN.findall(seen.casefold())).items():
        total += times
        for language in known.get(word, ()):
            counts[language] += times
    best = max(OPENING_WORDS, key=lambda language: counts[language])
    return best if counts[best] > counts[default] + total // 20 else default


def is_foreign(text: str) -> bool:
    """Whether a text is in a language whose words are not known: in another script, or with few function words."""
    seen = text[:_LOOKED_AT]
    letters = [char for char in seen if char.isalpha()]
    if len(letters) < _TELLING:
        return False
    if 2 * sum(char >= _BEYOND_LATIN and not _EASTERN.match(char) for char in letters) > len(letters):
        return True
    words = Counter(_LATIN.findall(seen.casefold()))
    known = max(sum(words[word] for word in own) for own in OPENING_WORDS.values())
    is_eastern = 5 * sum(_EASTERN.match(char) is not None for char in letters) > len(letters)
    return not is_eastern and known < _FEWEST_KNOWN * sum(words.values())


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """The languages that a function word is of."""
    every = {word for known in OPENING_WORDS.values() for word in known}
    return {word: tuple(tag for tag, known in OPENING_WORDS.items() if word in known) for word in every}


# Published lists of stop words hold several times as many, among them `million`, `member` and `system`.
STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """a about above after again against all also although am an and any are as at be because been before
            being below between both but by can could did do does doing down during each either etc few for from
            further had has have having he her here hers him his how i if in into is it its itself just may me might
            more most must my neither no nor not of off on once only or other our ours out over own per shall she
            should so some such than that the their theirs them then there therefore these they this those through
            thus to too under until up upon us very via was we were what when where whether which while who whom
            whose why will with within without would you your yours""",
        "de": """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist
            da dabei dadurch dafür damit dann das dass dazu dein deine dem den denen denn der deren des dessen die
            dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa
            euer für gegen gegenüber hab habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren
            ihrer im in ins ist ja je jede jedem jeden jeder jedes kann kein keine keinem keinen keiner können man
            mehr mein mit muss müssen nach nicht noch nur ob oder ohne pro sehr sein seine seinem seinen seiner seit
            sich sie sind so sodass solche soll sollen sowie sowohl über um und uns unser unter vom von vor während
            war waren was wegen weil welche welchem welchen welcher welches wenn wer werden wie wir wird wo worden
            wurde wurden zu zum zur zwar zwischen""",
        "fr": """à afin ainsi alors après au aucun aucune auprès aussi autre autres aux avant avec avoir c ce ceci
            cela celle celles celui ces cet cette ceux chaque chez comme d dans de depuis des dès doit doivent donc
            dont du durant elle elles en encore entre est et étaient était été être eu eux fait il ils j je jusque
            l la laquelle le lequel les lesquelles lesquels leur leurs lors lorsque lui m ma mais même mes moins mon
            n ne ni nos notre nous on ont ou où par pas pendant peut peuvent plus plusieurs pour puis qu que quel
            quelle quelles quels qui s sa sans se selon sera seront ses si sinon soit son sont sous sur t ta tant te
            tous tout toute toutes très tu un une vers via vos votre vous y""",
        "es": """a al algo algunas algunos ante antes aquel aquella aquellos así aun aunque cada como con contra cual
            cuales cuando de del desde donde durante e el ella ellas ellos en entre era eran es esa esas ese esos
            esta está estaba están estar estas este esto estos fue fueron ha había habían han hasta hay la las le
            les lo los más me mediante mi mientras muy ni no nos nosotros nuestra nuestro o otra otras otro otros
            para pero poco por porque pues que quien quienes se sea sean según ser será serán si sí sido sin sino
            sobre son su sus también tanto te tiene tienen toda todas todo todos tras tu un una unas uno unos usted
            y ya yo""",
        "it": """a ad agli ai al alla alle allo anche ancora avere c che chi ci ciascun ciascuna ciò coi col come con
            contro cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello dentro di dopo dove
            durante e è ed egli era erano essa esse essere essi gli ha hanno i il in inoltre io l la le lei li lo
            loro lui ma mentre mi ne negli nei nel nella nelle nello no noi non nostra nostro o ogni oltre per
            perché però più poi presso prima può qual quale quali quando quanto quella quelle quelli quello questa
            queste questi questo qui se secondo sempre senza si sia siano sono sopra sotto stata state stati stato
            su sua sue sugli sui sul sulla sulle suo suoi tra tutta tutte tutti tutto un una uno vi voi""",
        "nl": """aan achter al alle alleen als alsmede altijd andere bij binnen boven daar daarbij daardoor dan dat
            de deze die dit door dus een elk elke en er ge geen had hadden heb hebben heeft hem het hier hij hoe hun
            iets ik in indien is ja je jij kan kunnen langs maar me meer men met mijn moet moeten na naar naast niet
            nog nu of om omdat onder ons onze ook op over per reeds rond sinds te tegen ten ter terwijl toch tot
            tussen u uit uw van vanaf vanuit via volgens voor wanneer waar waarbij waarin was wat we wel welke werd
            werden wie wij word worden wordt zal ze zelf zich zij zijn zo zoals zodat zonder zou zouden zullen""",
        "pt": """a à ainda além ao aos após aquela aquelas aquele aqueles aquilo as às assim até cada com como contra
            cuja cujo da das de dela dele deles depois desde desse deste desta do dos durante e é ela elas ele eles
            em embora enquanto entre era eram essa essas esse esses esta está estão estar estas este estes eu foi
            foram há isso isto já lhe mais mas me mediante meu minha muito na não nas nem no nos nós nossa nosso num
            numa o onde os ou outra outras outro outros para pela pelas pelo pelos por porque qual quais quando que
            quem são se seja sejam sem sempre ser será serão seu seus sido sob sobre sua suas tal também tem têm
            tendo ter toda todas todo todos tudo um uma umas uns você""",
    }.items()
}


STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch",
    "pt": "portuguese",
}  # fmt: skip
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = "\u3040"


def content_words(text: str, language: str) -> frozenset[str]:
    """Stems of the words that have content of their own; pairs of characters where no spaces stand between words."""
    return frozenset(_words(text.casefold(), language))


def stemmed(word: str, language: str) -> str:
    """The stem of a word in lower case; empty if it has no content of its own."""
    if word.isdigit():
        return word
    return "" if len(word) == 1 or word in STOP_WORDS.get(language, ()) else stem(word, language)


def _words(text: str, language: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] >= _UNSPACED:
            yield from _pairs(token)
        elif known := stemmed(token, language):
            yield known


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """The stem of a word in lower case; of an unknown language the word."""
    # A stemmer keeps the word that it is at: of one that two threads share each would get parts of the other's.
    return str(snowballstemmer.stemmer(STEMMERS[language]).stemWord(word)) if language in STEMMERS else word
