"""The language of short briefs, as people write them: with names, amounts and technical words of English."""

import pytest
from stemma_languages import detect, foreign

BRIEFS = {
    "de": [
        "Schreibe ein Angebot für einen Lesesaal in der Stadtbibliothek. Budget 4.250 Euro.",
        "Angebot für die Suche im Katalog mit OpenSearch bis 1. Juni 2027.",
        "Angebot für ein neues Intranet",
        "Kurzer Entwurf der Ticket-API mit Postgres und Redis.",
        "# Anfrage\n\n- 640 Quadratmeter\n- Budget 4.250 Euro\n- Eröffnung am 1. Juni 2027",
        "Wir brauchen ein Angebot für Reinigung in Paris und London.",
        "Bitte auf Deutsch antworten: Search unification, Elasticsearch, Kubernetes, API gateway.",
    ],
    "en": [
        "Write a proposal for a reading room in the town library. Budget EUR 4,250.",
        "Move the search of our catalogue to OpenSearch by 1 June 2027.",
        "Proposal for a new intranet",
        "A short design for the ticket API, with Postgres and Redis.",
        "# Request\n\n- 640 square metres\n- budget EUR 4,250\n- opening 1 June 2027",
        "We need an offer for cleaning services in Berlin and München.",
    ],
    "es": [
        "Redacta una propuesta para una sala de lectura en la biblioteca municipal. Presupuesto 4.250 euros.",
        "Migrar la búsqueda del catálogo a OpenSearch antes del 1 de junio de 2027.",
        "Propuesta para una nueva intranet",
        "Diseño breve de la API de entradas con Postgres y Redis.",
        "# Solicitud\n\n- 640 metros cuadrados\n- presupuesto 4.250 €\n- apertura el 1 de junio de 2027",
        "Necesitamos una oferta de limpieza en Berlín.",
    ],
    "fr": [
        "Rédigez une offre pour une salle de lecture à la bibliothèque municipale. Budget 4 250 euros.",
        "Migration du catalogue vers OpenSearch avant le 1er juin 2027.",
        "Offre pour un nouvel intranet",
        "Court dossier de conception de l'API de billetterie, avec Postgres et Redis.",
        "# Demande\n\n- 640 mètres carrés\n- budget 4 250 €\n- ouverture le 1er juin 2027",
        "Nous cherchons une offre de nettoyage pour Berlin.",
    ],
    "it": [
        "Scrivi una proposta per una sala di lettura nella biblioteca comunale. Budget 4.250 euro.",
        "Spostare la ricerca del catalogo su OpenSearch entro il 1º giugno 2027.",
        "Proposta per una nuova intranet",
        "Breve progetto dell'API dei biglietti con Postgres e Redis.",
        "# Richiesta\n\n- 640 metri quadrati\n- budget 4.250 €\n- apertura il 1º giugno 2027",
        "Cerchiamo un'offerta per le pulizie a Berlino.",
    ],
    "ja": [
        "市立図書館の閲覧室の提案書を書いてください。予算は4,250ユーロです。",
        "2027年6月1日までにカタログ検索をOpenSearchへ移行する。",
        "新しいイントラネットの提案",
        "PostgresとRedisを使うチケットAPIの設計書",
        "# 依頼\n\n- 640平方メートル\n- 予算 4,250ユーロ\n- 2027年6月1日 開館",
    ],
    "nl": [
        "Schrijf een voorstel voor een leeszaal in de stadsbibliotheek. Budget 4.250 euro.",
        "Verhuis de zoekfunctie van de catalogus naar OpenSearch vóór 1 juni 2027.",
        "Voorstel voor een nieuw intranet",
        "Kort ontwerp van de ticket-API met Postgres en Redis.",
        "# Aanvraag\n\n- 640 vierkante meter\n- budget 4.250 euro\n- opening op 1 juni 2027",
        "Wij zoeken een offerte voor schoonmaak in Berlijn.",
    ],
    "pt": [
        "Escreva uma proposta para uma sala de leitura na biblioteca municipal. Orçamento de 4.250 euros.",
        "Mudar a pesquisa do catálogo para OpenSearch até 1 de junho de 2027.",
        "Proposta para uma nova intranet",
        "Projeto breve da API de bilhetes com Postgres e Redis.",
        "# Pedido\n\n- 640 metros quadrados\n- orçamento de 4.250 €\n- abertura em 1 de junho de 2027",
        "Precisamos de uma proposta de limpeza em Berlim.",
    ],
    "zh": [
        "请为市图书馆阅览室写一份提案。预算为4,250欧元。",
        "在2027年6月1日之前将目录搜索迁移到OpenSearch。",
        "新内网的提案",
        "使用Postgres和Redis的票务API设计文档",
        "# 需求\n\n- 640平方米\n- 预算4,250欧元\n- 2027年6月1日开放",
        "我們需要一份柏林的清潔服務報價。",
    ],
}
WITHOUT_A_FILE = {
    "sv": "Skriv ett förslag till en läsesal i stadsbiblioteket. Budget 4 250 euro.",
    "pl": "Napisz ofertę na czytelnię w bibliotece miejskiej. Budżet 4250 euro.",
    "ko": "도서관 열람실 제안서를 작성하세요.",
}


@pytest.mark.req("T5")
@pytest.mark.parametrize(("tag", "brief"), [(tag, brief) for tag, briefs in BRIEFS.items() for brief in briefs])
def test_tells_the_language_of_a_short_brief(tag: str, brief: str) -> None:
    assert detect(brief) == tag
    assert foreign(brief) is None


@pytest.mark.parametrize("text", ["", " \n", "12 34", "---", "A garden.", "hello", "x", "Test", "brief"])
def test_takes_a_text_that_does_not_say_enough_for_english(text: str) -> None:
    assert detect(text) == "en"
    assert foreign(text) is None


@pytest.mark.req("P19")
@pytest.mark.parametrize(("tag", "brief"), WITHOUT_A_FILE.items())
def test_names_a_language_that_has_no_file(tag: str, brief: str) -> None:
    assert foreign(brief) == tag


def test_looks_at_the_beginning_of_a_long_text() -> None:
    assert detect("Das ist der Anfang. " * 1_000 + "This is the end. " * 100_000) == "de"
