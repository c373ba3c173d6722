"""Words that say how a sentence holds: for how many, when, how often, and whether it is a fact, a plan or a promise."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

_TABLE: dict[str, dict[str, str]] = {
    "en": {
        "all": "all|everyone|everybody|everything|the whole|the entire|always",
        "all each": "each|every|apiece",
        "each": "per",
        "total": "in all|in total|total|altogether|overall|combined|all together",
        "not": "not|never|cannot|can't|don't|doesn't|didn't|won't|isn't|aren't|nor|refus*|reject*|declin*"
        "|unable|forbid*|prohibit*|banned",
        "without": "without|is against|are against|were against|oppos*|object|objects|objected|avoid*|free"
        "|still|yet|lack*|hardly|rarely",
        "exceed": "exceed*|surpass*",
        "cost": "cost|costs|costing|price|priced|amount|amounts|amounting|pay|pays|paid|spend|spent|worth|sum",
        "none not": "no|none|nobody|no one|nothing|neither",
        "notall": "not all|not every|not everyone",
        "most": "most|majority|mostly",
        "some": "some|a few|certain",
        "some several": "several|many|various|numerous",
        "only": "only|nobody but|no one but|none but|except|apart from|but for|other than|unless|nothing but|not only",
        "least": "at least|no less than|no fewer than|minimum of",
        "atmost": "at most|up to|no more than|maximum of|at the most",
        "before": "before|prior to|ahead of",
        "early": "within|by|until|no later than|at the latest",
        "late": "after|not before|from|no earlier than|at the earliest|following|since|not until|as soon as",
        "year": "a year|per year|per annum|yearly|annual|annually|each year|every year",
        "month": "a month|per month|monthly|each month|every month",
        "week": "a week|per week|weekly|each week|every week",
        "day": "a day|per day|daily|each day|every day",
        "hour": "an hour|per hour|hourly",
        "one-off": "one-off|one-time|single payment|lump sum|only once",
        "x1": "once",
        "x2": "twice|two times",
        "x3": "three times|thrice",
        "guarantee": "guarant*|warrant*|assur*",
        "agreed": "approv*|granted|accepted|authoris*|authoriz*|adopted|ratified|signed|confirmed",
        "is": "is|are",
        "done": "has|have|had|was|were|been",
        "will": "will|shall|going to|'ll",
        "want": "want*|wish*|plan|plans|planned|propos*|hope*|intend*|ask|asks|should|may|might|could|would"
        "|recommend*"
        "|suggest*|consider*|examin*|studies|offered|offers|request*|expect*|applied",
        "must": "must|need|needs|needed|has to|have to|required|needs to|need to",
        "if": "if|provided that|in case",
        "one": "a|an|one",
    },
    "de": {
        "all": "alle|allen|aller|alles|sämtlich*|ganze|ganzen|immer|überall",
        "all each": "jede|jeder|jedes|jedem|jeden",
        "each": "je|pro",
        "total": "insgesamt|gesamt|gesamte|gesamten|gesamtkosten|zusammen|summe|gemeinsam",
        "not": "nicht|nie|niemals|weder|ablehn*|lehnt|lehnen|abgelehnt*|verweiger*|rät davon ab|raten davon ab"
        "|abgeraten|verboten*|untersagt*",
        "without": "ohne|ist gegen|sind gegen|dagegen|noch|frei|kostenlos*|kostenfrei*|gratis|unentgeltlich*"
        "|gebührenfrei*|kaum|selten|verzicht*|vermeid*",
        "exceed": "überschreit*|übersteig*|übertreff*",
        "cost": "kostet|kosten|koste|preis|preise|beträgt|betragen|betrag|zahlt|zahlen|bezahlt|summe|beläuft|belaufen",
        "none not": "kein*|niemand*|nichts|keinerlei",
        "notall": "nicht alle|nicht jede|nicht jeder|nicht jedes|nicht allen|nicht jedem",
        "most": "die meisten|den meisten|meist*|mehrheit|mehrzahl|überwiegend*",
        "some": "einige|einigen|einiger|manche|manchen|wenige",
        "some several": "mehrere|mehreren|viele|vielen|zahlreiche*|verschiedene",
        "only": "nur|außer|lediglich|ausschließlich|ausgenommen|bis auf|nicht nur",
        "least": "mindestens|wenigstens",
        "atmost": "höchstens|maximal|bis zu|nicht mehr als",
        "before": "vor|bevor",
        "early": "innerhalb|binnen|bis|spätestens|bis spätestens|spätestens am|spätestens bis",
        "late": "nach|nachdem|ab|frühestens|nicht vor|erst ab|erst nach|seit|sobald|erst wenn|frühestens ab",
        "year": "im jahr|pro jahr|je jahr|jährlich*|jedes jahr|p a",
        "month": "im monat|pro monat|je monat|monatlich*|jeden monat",
        "week": "in der woche|pro woche|je woche|wöchentlich*|jede woche",
        "day": "am tag|pro tag|je tag|täglich*|jeden tag",
        "hour": "pro stunde|je stunde|stündlich*|die stunde",
        "one-off": "einmalig*",
        "x1": "einmal|ein mal",
        "x2": "zweimal|zwei mal",
        "x3": "dreimal|drei mal",
        "guarantee": "garant*|gewährleist*|versicher*|verbürg*",
        "agreed": "genehmig*|bewillig*|zugestimmt|beschlossen|zugesagt|vereinbart|unterzeichnet|bestätigt"
        "|stimmte zu"
        "|gebilligt",
        "agreed done": "beschloss|beschlossen hat|stimmte zu|stimmten zu|sagte zu",
        "is": "ist|sind",
        "done": "hat|haben|hatte|hatten|wurde|wurden|war|waren|worden",
        "will": "wird|werden",
        "want": "will|wollen|möchte*|soll|sollen|sollte*|plant|planen|geplant*|erwart*|hofft|hoffen"
        "|beabsichtig*|bitte*"
        "|beantrag*|empfiehlt|empfehlen|empfohlen|schlägt|könnte*|würde*|prüft|prüfen|vorgesehen*|angeboten"
        "|erwäg*|darf",
        "must": "muss|müssen|musste*|verpflichtet|zu sein",
        "if": "wenn|falls|sofern",
        "one": "ein|eine|einen|einem|einer",
    },
    "fr": {
        "all": "tous|toutes|tout|toute|entier|entière|toujours|ensemble des",
        "all each": "chaque|chacun|chacune",
        "total": "en tout|au total|total|totale|ensemble|globalement|somme",
        "not": "pas|jamais|ni|refus*|rejet*|aucunement|interdi*",
        "without": "sans|est contre|sont contre|oppos*|encore|évit*|gratuit*|rarement",
        "exceed": "dépass*|excéd*",
        "cost": "coûte|coûtent|coût|coûts|coûter|prix|montant|paie|paient|payer|revient|élève|s'élève|somme",
        "none not": "aucun|aucune|personne|rien|nul|nulle",
        "notall": "pas tous|pas toutes|ne pas tous",
        "most": "la plupart|majorité",
        "some": "certains|certaines|quelques|quelques-uns",
        "some several": "plusieurs|nombreux|nombreuses|de nombreux|beaucoup",
        "only": "seulement|uniquement|que|sauf|excepté|hormis|seul|seule|seuls",
        "least": "au moins|au minimum|minimum",
        "atmost": "au plus|au maximum|jusqu'à|maximum|pas plus de",
        "before": "avant",
        "early": "sous|dans les|au plus tard|d'ici|jusqu'au",
        "late": "après|dès|à partir|au plus tôt|pas avant|depuis|à compter",
        "year": "par an|annuel*|chaque année|l'an|par année|tous les ans",
        "month": "par mois|mensuel*|chaque mois|tous les mois|le mois",
        "week": "par semaine|hebdomadaire*|chaque semaine",
        "day": "par jour|quotidien*|chaque jour",
        "hour": "de l'heure|par heure|horaire*",
        "one-off": "unique|une seule fois|forfait*",
        "x1": "une fois",
        "x2": "deux fois",
        "x3": "trois fois",
        "guarantee": "garanti*|assur*",
        "agreed": "approuv*|accordé*|voté*|accepté*|validé*|autorisé*|signé*|adopté*|confirmé*",
        "is": "est|sont",
        "done": "a|ont|avait|avaient|été",
        "will": "sera|seront|aura|auront|va|vont",
        "want": "veut|veulent|souhait*|propos*|demand*|envisag*|étudi*|prévoi*|prévu*|attend*|devrait|devraient"
        "|pourrait|pourraient"
        "|recommand*|espèr*|compte|offre",
        "must": "doit|doivent|obligatoire*",
        "if": "si|à condition|pourvu",
        "one": "un|une",
    },
    "es": {
        "all": "todos|todas|todo|toda|siempre|entero|entera",
        "all each": "cada|cada uno|cada una",
        "total": "en total|total|en conjunto|juntos|juntas|global",
        "not": "no|nunca|jamás|ni|rechaz*|prohib*",
        "without": "sin|está contra|están contra|opon*|aún|todavía|evit*|gratuit*|gratis",
        "exceed": "supera*|exced*|sobrepas*",
        "cost": "cuesta|cuestan|coste|costes|costo|costos|precio|importe|paga|pagan|asciende|ascienden|suma",
        "none not": "ningún|ninguna|ninguno|nadie|nada",
        "notall": "no todos|no todas",
        "most": "la mayoría|mayoría|mayor parte",
        "some": "algunos|algunas|ciertos|ciertas|unos pocos",
        "some several": "varios|varias|muchos|muchas|numerosos|numerosas",
        "only": "solo|sólo|solamente|únicamente|salvo|excepto|menos",
        "least": "al menos|como mínimo|por lo menos|mínimo",
        "atmost": "como máximo|hasta|máximo|no más de|a lo sumo",
        "before": "antes|antes de|antes del",
        "early": "a más tardar|dentro de|en un plazo",
        "late": "después|tras|desde|a partir|no antes",
        "year": "al año|por año|anual*|cada año",
        "month": "al mes|por mes|mensual*|cada mes",
        "week": "a la semana|por semana|semanal*|cada semana",
        "day": "al día|por día|diari*|cada día",
        "hour": "por hora|la hora",
        "one-off": "pago único|única vez|una sola vez",
        "x1": "una vez",
        "x2": "dos veces",
        "x3": "tres veces",
        "guarantee": "garanti*|asegur*",
        "agreed": "aprob*|concedi*|aceptad*|autoriz*|firmad*|acordad*|confirmad*|votad*",
        "agreed done": "aprobó|aprobaron|concedió|concedieron|autorizó|autorizaron|aceptó|firmó|votó",
        "is": "está|están|es|son",
        "done": "ha|han|había|habían|fue|fueron|sido",
        "will": "será|serán|va|van",
        "want": "quiere*|desea*|propon*|solicit*|estudi*|pide*|prevé*|previst*|debería*|podría*|recomiend*"
        "|esper*|pretend*|ofrec*",
        "must": "debe|deben|obligatori*",
        "if": "si|siempre que",
        "one": "un|una",
    },
    "it": {
        "all": "tutti|tutte|tutto|tutta|sempre|intero|intera",
        "all each": "ogni|ciascun*",
        "total": "in tutto|in totale|totale|complessiv*|insieme",
        "not": "non|mai|né|rifiut*|respint*|vietat*",
        "without": "senza|è contro|sono contro|ancora|evit*|gratuit*|gratis",
        "exceed": "supera*|ecced*",
        "cost": "costa|costano|costo|costi|prezzo|importo|paga|pagano|ammonta|ammontano|somma",
        "none not": "nessun*|niente|nulla",
        "notall": "non tutti|non tutte",
        "most": "la maggior parte|maggioranza",
        "some": "alcuni|alcune|qualche|certi|certe",
        "some several": "diversi|diverse|molti|molte|parecchi*|numeros*",
        "only": "solo|soltanto|solamente|tranne|eccetto|salvo",
        "least": "almeno|come minimo",
        "atmost": "al massimo|fino a|non più di|massimo",
        "before": "prima|prima del|prima di",
        "early": "entro|entro il|al più tardi",
        "late": "dopo|a partire|non prima|dal",
        "year": "all'anno|l'anno|annu*|ogni anno",
        "month": "al mese|mensil*|ogni mese",
        "week": "alla settimana|settimanal*|ogni settimana",
        "day": "al giorno|giornalier*|ogni giorno",
        "hour": "all'ora|ogni ora",
        "one-off": "una tantum|una sola volta",
        "x1": "una volta",
        "x2": "due volte",
        "x3": "tre volte",
        "guarantee": "garanti*|assicur*",
        "agreed": "approvat*|concess*|accettat*|autorizzat*|firmat*|confermat*|deliberat*",
        "agreed done": "approvò|approvarono|concesse|autorizzò|accettò|firmò|deliberò",
        "is": "è|sono",
        "done": "ha|hanno|aveva|stato|stata|stati|state",
        "will": "sarà|saranno",
        "want": "vuole|vogliono|propon*|chied*|valut*|esamin*|prevede*|previst*|attes*|dovrebbe*|potrebbe*"
        "|raccomand*|sper*|intend*|offr*",
        "must": "deve|devono|obbligator*",
        "if": "se|purché",
        "one": "un|uno|una",
    },
}
_DENOMINATORS: dict[str, tuple[dict[str, int], dict[str, str]]] = {
    "en": ({"a": 1, "one": 1, "two": 2, "three": 3, "four": 4},
           {"half": "2", "third": "3", "quarter": "4", "fifth": "5", "tenth": "10"}),
    "de": ({"ein": 1, "einem": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4},
           {"hälfte": "2", "drittel": "3", "viertel": "4", "fünftel": "5", "zehntel": "10"}),
    "fr": ({"un": 1, "deux": 2, "trois": 3, "quatre": 4},
           {"moitié": "2", "tiers": "3", "quart": "4", "cinquième": "5", "dixième": "10"}),
    "es": ({"un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4},
           {"mitad": "2", "tercio": "3", "cuarto": "4", "quinto": "5", "décimo": "10"}),
    "it": ({"un": 1, "due": 2, "tre": 3, "quattro": 4},
           {"metà": "2", "terzo": "3", "terzi": "3", "quarto": "4", "quarti": "4", "quinto": "5", "quinti": "5"}),
}  # fmt: skip
"""Words for numerators and denominators; the halves stand by themselves."""
_ORDINALS: dict[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "en": (
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
        re.compile(r"([0-9]{1,6})(?:st|nd|rd|th)"),
    ),
    "de": (("erst", "zweit", "dritt", "viert", "fünft", "sechst", "siebt", "acht", "neunt", "zehnt"),
           re.compile(r"(?!)")),
    "fr": (("premi", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième", "huitième"),
           re.compile(r"([0-9]{1,6})(?:ère|er|ème|e)")),
    "es": (("primer", "segund", "tercer", "cuart", "quint", "sext", "séptim", "octav"),
           re.compile(r"([0-9]{1,6})[ºª]")),
    "it": (("prim", "second", "terz", "quart", "quint", "sest", "settim", "ottav"), re.compile(r"([0-9]{1,6})[°ºª]")),
}  # fmt: skip
_ORDINAL_END = {"de": ("e", "er", "es", "en", "em"), "fr": ("", "er", "ère"), "es": ("", "o", "a", "os", "as"),
                "it": ("o", "a"), "en": ("",)}  # fmt: skip
LANGUAGES = frozenset(_TABLE)
_LONGEST = 3


class Word(NamedTuple):
    """A word or a phrase with what it marks: ``modes``, an ordinal number or a fraction; nothing of most words."""

    text: str
    start: int
    modes: frozenset[str]
    ordinal: int = 0
    fraction: Fraction | None = None


class _Lexicon(NamedTuple):
    exact: dict[tuple[str, ...], frozenset[str]]
    prefixes: dict[str, list[tuple[str, frozenset[str]]]]
    ordinals: dict[str, int]


_WORD = re.compile(r"[0-9]+(?:st|nd|rd|th|ère|er|ème|e|º|ª|°)(?!\w)|[^\W\d_]+(?:['’-][^\W\d_]+)*|[\ue000-\uefff]")
_NONE = frozenset[str]()


@cache
def _lexicon(language: str) -> _Lexicon:
    exact, prefixes = dict[tuple[str, ...], frozenset[str]](), dict[str, list[tuple[str, frozenset[str]]]]()
    for modes, phrases in _TABLE[language].items():
        for phrase in phrases.split("|"):
            if phrase.endswith("*"):
                prefixes.setdefault(phrase[:3], []).append((phrase[:-1], frozenset(modes.split())))
            else:
                key = tuple(phrase.split())
                exact[key] = exact.get(key, _NONE) | frozenset(modes.split())
    stems, _ = _ORDINALS[language]
    ordinals = {stem + end: n for n, stem in enumerate(stems, 1) for end in _ORDINAL_END[language]}
    return _Lexicon(exact, prefixes, ordinals)


def words(text: str, language: str) -> Iterator[Word]:
    """The words of a text in small letters, in their order, phrases as one."""
    lexicon = _lexicon(language)
    found = [(match[0].replace("’", "'"), match.start()) for match in _WORD.finditer(text.casefold())]
    at = 0
    while at < len(found):
        word = _fraction(found, at, language)
        length = len(word.text.split()) if word else 1
        if word is None:
            length, modes = _longest(found, at, lexicon)
            text_of = " ".join(text for text, _ in found[at : at + length])
            word = Word(text_of, found[at][1], modes, _ordinal(found[at][0], lexicon, language))
        yield word
        at += length


def _longest(found: list[tuple[str, int]], at: int, lexicon: _Lexicon) -> tuple[int, frozenset[str]]:
    key = tuple(word for word, _ in found[at : at + _LONGEST])
    for length in range(len(key), 0, -1):
        if modes := lexicon.exact.get(key[:length]):
            return length, modes
    for prefix, modes in lexicon.prefixes.get(key[0][:3], ()):
        if key[0].startswith(prefix):
            return 1, modes
    return 1, _NONE


def _ordinal(word: str, lexicon: _Lexicon, language: str) -> int:
    match = _ORDINALS[language][1].fullmatch(word)
    return int(match[1]) if match else lexicon.ordinals.get(word, 0)


def _fraction(found: list[tuple[str, int]], at: int, language: str) -> Word | None:
    numerators, denominators = _DENOMINATORS[language]
    word, start = found[at]
    following = found[at + 1][0] if at + 1 < len(found) else ""
    if denominators.get(word) == "2" and following not in ("a", "an", "hour", "day", "year", "time"):
        return Word(word, start, _NONE, fraction=Fraction(1, 2))
    above, singular = numerators.get(word), following.removesuffix("s") if language != "fr" else following
    below = denominators.get(singular) or denominators.get(following) or denominators.get(following.removesuffix("s"))
    if above is None or below is None:
        return None
    after = found[at + 2][0] if at + 2 < len(found) else ""
    if (
        above == 1
        and language in ("en", "it", "es")
        and after not in ("of", "di", "de", "del", "dei", "degli", "delle")
    ):
        return None
    return Word(f"{word} {following}", start, _NONE, fraction=Fraction(above, int(below)))
