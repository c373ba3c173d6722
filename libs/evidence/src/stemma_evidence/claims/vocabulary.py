"""Words that the CLDR has no entry for, in the nine languages that are shipped: en de fr es it nl pt ja zh."""

from collections.abc import Iterator
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, list_currencies
from babel.units import format_unit

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "ja", "zh")

DECIMAL_POINT = frozenset({"en", "ja", "zh"})
"""Languages that write a decimal point; the others write a comma."""

NAMED_CURRENCIES = (
    "EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH CAD AUD NZD SGD HKD INR KRW BRL MXN ARS CLP"
    " COP ZAR ILS AED SAR THB IDR MYR PHP VND TWD EGP NGN KES"
).split()
"""Currencies that are also known by their names in words."""

DOLLARS = ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN")
CROWNS = ("SEK", "NOK", "DKK", "ISK", "CZK")

CURRENCY_WORDS: dict[str, tuple[str, ...]] = {
    "$": DOLLARS, "us$": ("USD",), "$us": ("USD",), "ca$": ("CAD",), "a$": ("AUD",), "nz$": ("NZD",), "s$": ("SGD",),
    "hk$": ("HKD",), "r$": ("BRL",), "mx$": ("MXN",), "€": ("EUR",), "£": ("GBP",), "¥": ("JPY", "CNY"),
    "￥": ("JPY", "CNY"), "₩": ("KRW",), "₹": ("INR",), "₽": ("RUB",), "₺": ("TRY",), "₴": ("UAH",), "₫": ("VND",),
    "₪": ("ILS",), "฿": ("THB",), "zł": ("PLN",), "kč": ("CZK",), "ft": ("HUF",), "kr": CROWNS, "fr": ("CHF",),
    "sfr": ("CHF",), "円": ("JPY",), "元": ("CNY",), "圆": ("CNY",), "块": ("CNY",), "人民币": ("CNY",),
    "ユーロ": ("EUR",), "ドル": DOLLARS, "米ドル": ("USD",), "ポンド": ("GBP",), "スイスフラン": ("CHF",),
    "元人民币": ("CNY",),
    "欧元": ("EUR",), "美元": ("USD",), "日元": ("JPY",), "英镑": ("GBP",), "瑞士法郎": ("CHF",), "日圆": ("JPY",),
    "euro": ("EUR",), "euros": ("EUR",), "dollar": DOLLARS, "dollars": DOLLARS, "dólar": DOLLARS, "dólares": DOLLARS,
    "dollari": DOLLARS, "dollaro": DOLLARS, "pound": ("GBP",), "pounds": ("GBP",), "pfund": ("GBP",),
    "livres": ("GBP",), "libras": ("GBP",), "sterline": ("GBP",), "pond": ("GBP",), "franken": ("CHF",),
    "francs": ("CHF",), "franc": ("CHF",), "francos": ("CHF",), "franchi": ("CHF",), "frank": ("CHF",),
    "yen": ("JPY",), "yens": ("JPY",), "yuan": ("CNY",), "renminbi": ("CNY",), "rmb": ("CNY",), "crowns": CROWNS,
    "kronor": ("SEK",), "kroner": ("NOK", "DKK"), "kronen": CROWNS, "couronnes": CROWNS, "coronas": CROWNS,
    "rupees": ("INR",), "reais": ("BRL",), "złoty": ("PLN",), "zloty": ("PLN",), "pesos": ("MXN", "ARS", "CLP", "COP"),
}  # fmt: skip

HUNDREDTHS: dict[str, tuple[str, ...]] = {
    "cent": (*DOLLARS, "EUR"), "cents": (*DOLLARS, "EUR"), "ct": ("EUR",), "centimes": ("EUR", "CHF"),
    "céntimos": ("EUR",), "centesimi": ("EUR",), "cêntimos": ("EUR",), "pence": ("GBP",), "rappen": ("CHF",),
    "¢": DOLLARS,
}  # fmt: skip

MAGNITUDES: dict[str, dict[str, int]] = {
    "en": {"k": 3, "thousand": 3, "m": 6, "mn": 6, "mln": 6, "mm": 6, "million": 6, "millions": 6, "mio": 6, "bn": 9,
           "b": 9, "billion": 9, "billions": 9, "tn": 12, "trillion": 12, "hundred": 2, "lakh": 5, "crore": 7},
    "de": {"tsd": 3, "tausend": 3, "t": 3, "mio": 6, "million": 6, "millionen": 6, "mill": 6, "mrd": 9,
           "milliarde": 9, "milliarden": 9, "bio": 12, "billion": 12, "billionen": 12, "hundert": 2},
    "fr": {"mille": 3, "k": 3, "million": 6, "millions": 6, "m": 6, "mio": 6, "md": 9, "mds": 9, "mrd": 9,
           "milliard": 9, "milliards": 9, "billion": 12, "billions": 12},
    "es": {"mil": 3, "millón": 6, "millones": 6, "mill": 6, "mm": 6, "mil millones": 9, "millardo": 9,
           "millardos": 9, "billón": 12, "billones": 12},
    "it": {"mila": 3, "mille": 3, "milione": 6, "milioni": 6, "mln": 6, "mld": 9, "miliardo": 9, "miliardi": 9,
           "bilione": 12},
    "nl": {"duizend": 3, "miljoen": 6, "mln": 6, "mio": 6, "miljard": 9, "mld": 9, "mrd": 9, "biljoen": 12},
    "pt": {"mil": 3, "milhão": 6, "milhões": 6, "mi": 6, "mil milhões": 9, "bilhão": 9, "bilhões": 9, "bi": 9},
    "ja": {"千": 3, "万": 4, "百万": 6, "億": 8, "十億": 9, "兆": 12, "百": 2, "十": 1},
    "zh": {"千": 3, "万": 4, "萬": 4, "百万": 6, "亿": 8, "億": 8, "十亿": 9, "兆": 12, "万亿": 12, "百": 2, "十": 1},
}  # fmt: skip
"""Words after a number that multiply it, as powers of ten."""

ONLY_WITH_CURRENCY = frozenset({"m", "b", "k", "t", "mm", "mi", "bi", "bn"})
"""Magnitudes that are units or words of their own where no currency stands by."""

PREFIXED_CURRENCIES = {"t": 3, "k": 3, "m": 6, "mio": 6, "md": 9, "mrd": 9}
"""What a magnitude is that is written with the currency as one word: ``k€``, ``M€``, ``TEUR``."""

UNIT_WORDS: dict[str, str] = {
    "%": "percent", "％": "percent", "percent": "percent", "per cent": "percent", "prozent": "percent",
    "v. h": "percent", "pour cent": "percent", "por ciento": "percent", "per cento": "percent",
    "procent": "percent", "por cento": "percent", "パーセント": "percent", "百分点": "percent-point",
    "ポイント": "percent-point", "percentage points": "percent-point", "percentage point": "percent-point",
    "prozentpunkte": "percent-point", "prozentpunkten": "percent-point", "points de pourcentage": "percent-point",
    "puntos porcentuales": "percent-point", "punti percentuali": "percent-point",
    "procentpunten": "percent-point", "pontos percentuais": "percent-point", "‰": "permille",
    "sqm": "square-meter", "sq m": "square-meter", "m2": "square-meter", "qm": "square-meter", "㎡": "square-meter",
    "平米": "square-meter", "平方メートル": "square-meter", "平方米": "square-meter", "m3": "cubic-meter",
    "cbm": "cubic-meter", "立方メートル": "cubic-meter", "立方米": "cubic-meter", "sq ft": "square-foot",
    "sqft": "square-foot", "km2": "square-kilometer", "kmh": "kilometer-per-hour", "km/h": "kilometer-per-hour",
    "kwh": "kilowatt-hour", "mwh": "megawatt-hour", "gwh": "gigawatt-hour", "kw": "kilowatt", "mw": "megawatt",
    "megawatt-hours": "megawatt-hour", "megawatt-hour": "megawatt-hour", "megawattstunden": "megawatt-hour",
    "gigawattstunden": "gigawatt-hour", "mégawattheures": "megawatt-hour", "mégawatt-heures": "megawatt-hour",
    "megavatios hora": "megawatt-hour", "megawattora": "megawatt-hour", "megawattuur": "megawatt-hour",
    "gigawatt-hours": "gigawatt-hour", "grad": "celsius", "degrees": "celsius", "degrés": "celsius",
    "grados": "celsius", "gradi": "celsius", "graden": "celsius", "graus": "celsius", "年": "year",
    "度": "celsius", "か年": "year",
    "kwp": "kilowatt-peak", "hour": "hour", "hours": "hour", "hrs": "hour", "h": "hour", "std": "hour",
    "jahr": "year", "jahre": "year", "jahren": "year", "jahres": "year", "yrs": "year", "monat": "month",
    "monate": "month", "monaten": "month", "months": "month", "wochen": "week", "woche": "week", "tag": "day",
    "tage": "day", "tagen": "day", "days": "day", "年間": "year", "か月": "month", "ヶ月": "month", "カ月": "month",
    "ヵ月": "month", "个月": "month", "箇月": "month", "週間": "week", "周": "week", "星期": "week", "日間": "day",
    "天": "day",
    "時間": "hour", "小时": "hour", "分間": "minute", "分钟": "minute", "秒": "second", "秒間": "second",
    "°c": "celsius",
    "°": "degree", "℃": "celsius", "working days": "working-day", "business days": "working-day",
    "working day": "working-day", "business day": "working-day", "werktage": "working-day",
    "werktagen": "working-day", "arbeitstage": "working-day", "arbeitstagen": "working-day",
    "jours ouvrés": "working-day", "jours ouvrables": "working-day", "días hábiles": "working-day",
    "días laborables": "working-day", "giorni lavorativi": "working-day", "werkdagen": "working-day",
    "dias úteis": "working-day", "営業日": "working-day", "工作日": "working-day", "fte": "fte", "ftes": "fte",
    "person-days": "day-person", "person days": "day-person", "personentage": "day-person", "人日": "day-person",
    "personentagen": "day-person", "jours-homme": "day-person", "人月": "month-person", "t": "tonne",
    "キロメートル": "kilometer", "公里": "kilometer", "メートル": "meter", "米": "meter",
    "センチメートル": "centimeter",
    "キログラム": "kilogram", "キロ": "kilogram", "公斤": "kilogram", "グラム": "gram", "トン": "tonne", "吨": "tonne",
    "リットル": "liter", "升": "liter", "ヘクタール": "hectare", "公顷": "hectare", "ギガバイト": "gigabyte",
    "キロワット": "kilowatt",
}  # fmt: skip

NO_UNITS = frozenset(
    "in a an am at do no so we me on as to pt c d et de la le em da di al el il e o"
    " y u i ha as os is it 月 日 時 点".split()
) - {"ha"}
"""CLDR abbreviations that are everyday words, so that after a number they say nothing."""

UNITS = (
    "length-millimeter length-centimeter length-meter length-kilometer length-inch length-foot length-yard length-mile"
    " area-square-centimeter area-square-meter area-square-kilometer area-hectare area-square-foot area-acre"
    " area-square-mile volume-milliliter volume-liter volume-cubic-meter volume-gallon mass-milligram mass-gram"
    " mass-kilogram mass-tonne mass-ton mass-pound mass-ounce duration-millisecond duration-second duration-minute"
    " duration-hour duration-day duration-week duration-month duration-quarter duration-year duration-decade"
    " duration-century duration-day-person digital-bit digital-byte digital-kilobyte digital-megabyte"
    " digital-gigabyte digital-terabyte digital-petabyte digital-megabit digital-gigabit power-watt power-kilowatt"
    " power-megawatt power-gigawatt energy-kilowatt-hour energy-joule energy-kilojoule energy-kilocalorie"
    " temperature-celsius temperature-fahrenheit speed-kilometer-per-hour speed-meter-per-second speed-mile-per-hour"
    " frequency-hertz frequency-kilohertz frequency-megahertz frequency-gigahertz pressure-bar pressure-pascal"
    " pressure-hectopascal electric-volt electric-ampere graphics-pixel graphics-megapixel light-lumen light-lux"
    " concentr-percent concentr-permille"
).split()
"""CLDR units that are recognised."""

QUARTER_WORDS = frozenset(
    "quarter quarters quartal quartale trimestre trimestres trimestri kwartaal kwartalen 四半期 季度".split()
)
HALF_WORDS = frozenset("half halbjahr semestre semestres semester halfjaar 半期 半年".split())
WEEK_WORDS = frozenset("kw kalenderwoche week semaine semana settimana".split())

ORDINALS = {
    "i": 1, "ii": 2, "iii": 3, "iv": 4, "first": 1, "second": 2, "third": 3, "fourth": 4, "erste": 1, "ersten": 1,
    "erstes": 1, "zweite": 2, "zweiten": 2,
    "zweites": 2, "dritte": 3, "dritten": 3, "drittes": 3, "vierte": 4, "vierten": 4, "viertes": 4, "premier": 1,
    "deuxième": 2, "second semestre": 2, "troisième": 3, "quatrième": 4, "primer": 1, "primero": 1, "segundo": 2,
    "tercer": 3, "tercero": 3, "cuarto": 4, "primo": 1, "secondo": 2, "terzo": 3, "quarto": 4, "eerste": 1,
    "tweede": 2, "derde": 3, "vierde": 4, "primeiro": 1, "terceiro": 3,
}  # fmt: skip

MONTH_LEADS = frozenset(
    "in by until since from of during im ab bis seit anfang mitte ende early late mid next last en dès depuis fin début"
    " jusqu'en desde hasta finales principios entro dal al da fino nel vanaf tot sinds eind begin medio em até zum vom"
    " for before after vor nach de von di".split()
)
"""Words that make a name of a month that stands alone a date."""

HEDGES = frozenset(
    "about approximately approx around roughly nearly almost some circa ca c. over under more less than up rounded"
    " close ~ ≈ > < etwa rund ungefähr zirka knapp gut fast über unter mehr weniger als gerundet annähernd environ"
    " près presque quelque autour plus moins arrondi unos unas aproximadamente casi"
    " cerca alrededor más menos redondeado"
    " quasi oltre intorno più meno arrotondato ongeveer bijna zowat ruim meer minder afgerond quase mais menos"
    " arredondado 約 およそ ほぼ 大约 约 近 将近 概ね 余り".split()
)
"""Words before a number that call it rounded."""


@cache
def months() -> dict[str, int]:
    """The number of a month by its folded name or abbreviation, in every language."""
    found: dict[str, int] = {}
    for locale in _locales():
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[context][width].items():
                    if not name[0].isdigit():
                        found.setdefault(name.casefold().rstrip("."), number)
    return found | {"sept": 9, "set": 9, "mrz": 3, "maerz": 3, "jän": 1, "jänner": 1, "ene": 1, "fevrier": 2, "aout": 8}


@cache
def currencies() -> dict[str, tuple[str, ...]]:
    """ISO codes by folded name or sign; a sign of several currencies has several."""
    found: dict[str, tuple[str, ...]] = {}
    for locale in _locales():
        for code in NAMED_CURRENCIES:
            for count in (None, 1, 2):
                found.setdefault(get_currency_name(code, count=count, locale=locale).casefold(), (code,))
    return found | CURRENCY_WORDS


@cache
def currency_codes() -> frozenset[str]:
    """Every ISO 4217 code."""
    return frozenset(list_currencies())


@cache
def units() -> dict[str, str]:
    """CLDR units without their group, by name or abbreviation as written and folded."""
    found: dict[str, str] = {}
    for locale in _locales():
        for unit in UNITS:
            for name in set(_unit_names(unit, locale)) - NO_UNITS:
                found.setdefault(name, unit.partition("-")[2])
                found.setdefault(name.casefold(), unit.partition("-")[2])
    return {name: unit for name, unit in found.items() if name and name not in NO_UNITS} | UNIT_WORDS


@cache
def magnitudes(language: str) -> dict[str, int]:
    """Powers of ten by word: those of ``language`` first, then whatever other languages say."""
    merged: dict[str, int] = {}
    for other in LANGUAGES:
        for word, power in MAGNITUDES[other].items():
            if len(word) > 1 or other in ("ja", "zh"):
                merged.setdefault(word, power)
    return merged | MAGNITUDES.get(language, MAGNITUDES["en"])


@cache
def territories() -> dict[str, str]:
    """The code of a country by its folded name, in every language."""
    return {
        name.casefold(): code
        for locale in _locales()
        for code, name in locale.territories.items()
        if code.isalpha() and len(name) > 3
    }


@cache
def territory_names() -> dict[str, tuple[str, ...]]:
    """The folded names of a country in every language, by its code."""
    found: dict[str, list[str]] = {}
    for name, code in territories().items():
        found.setdefault(code, []).append(name)
    return {code: tuple(names) for code, names in found.items()}


def _locales() -> Iterator[Locale]:
    return map(Locale.parse, (*LANGUAGES, "en_GB"))


def _unit_names(unit: str, locale: Locale) -> Iterator[str]:
    for length in ("long", "short"):
        for count in (1, 2, 5):
            name = format_unit(count, unit, length, locale=locale)
            yield name.replace(str(count), "").strip().rstrip(".")


OPENING_WORDS: dict[str, frozenset[str]] = {
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

NUMBERED: frozenset[str] = frozenset(
    "findings? issues? items? points? comments? remarks? observations? recommendations? befunde? punkte?"
    " anmerkung(?:en)? empfehlung(?:en)? feststellung(?:en)? mangel mängel constats? remarques? recommandations?"
    " hallazgos? puntos? observaci(?:ón|ones) recomendaci(?:ón|ones) comentarios? riliev[oi] punt[oi] osservazion[ei]"
    " raccomandazion[ei] comment[oi] bevinding(?:en)? punten opmerking(?:en)? aanbeveling(?:en)? constataç(?:ão|ões)"
    " pontos? observaç(?:ão|ões) recomendaç(?:ão|ões) comentários? steps? tasks? goals? objectives? schritte? aufgaben?"
    " ziele? étapes? tâches? objectifs? pasos? tareas? objetivos? pass[oi] obiettiv[oi] stappen stap tarefas?".split()
)
"""Expressions for words that stand before the number of an entry, such as of a finding of a review."""

NUMBERED_CJK = ("指摘(?:事項)?", "所見", "项目", "発見", "发现", "發現", "意见", "意見", "建议", "建議")

CAPITALISED: frozenset[str] = CAPTIONS.union(*OPENING_WORDS.values())


JOINING = frozenset("of de del della di da do dos des du la le van von der den zu für for and und et y e the &".split())

TITLES = frozenset(
    "Herr Herrn Frau Dr Prof Dipl Ing Mr Mrs Ms Messrs Mme Mlle Sr Sra Srta Dott Sig Dhr Mevr Firma".split()
)

FORMS = frozenset("GmbH AG KG SE Ltd Inc LLC SA SAS SARL SpA BV NV Lda".split())
