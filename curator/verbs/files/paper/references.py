"""BibTeX entries of the papers that a release may cite.

The source of a measure or prompt ("Clarke et al. 2008; ndeval") cites the papers whose
``mark`` it contains.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper: its key, its name in sources, and the fields of its entry."""

    key: str
    mark: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        lines = (f"  {name} = {{{value}}},\n" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{''.join(lines)}}}\n"


def _paper(key: str, mark: str, kind: str, **fields: str) -> Reference:
    return Reference(key, mark, kind, tuple(fields.items()))


REFERENCES = (
    _paper(
        "chapelle2009err",
        "Chapelle et al. 2009",
        "inproceedings",
        author="Chapelle, Olivier and Metzler, Donald and Zhang, Ya and "
        "Grinspan, Pierre",
        title="Expected Reciprocal Rank for Graded Relevance",
        booktitle="Proceedings of CIKM 2009",
        pages="621--630",
        year="2009",
        doi="10.1145/1645953.1646033",
    ),
    _paper(
        "chung2022flan",
        "flan-t5",
        "article",
        author="Chung, Hyung Won and others",
        title="Scaling Instruction-Finetuned Language Models",
        journal="arXiv preprint arXiv:2210.11416",
        year="2022",
    ),
    _paper(
        "clarke2008novelty",
        "Clarke et al. 2008",
        "inproceedings",
        author="Clarke, Charles L. A. and Kolla, Maheedhar and Cormack, Gordon V. and "
        'Vechtomova, Olga and Ashkan, Azin and B{\\"u}ttcher, Stefan and '
        "MacKinnon, Ian",
        title="Novelty and Diversity in Information Retrieval Evaluation",
        booktitle="Proceedings of SIGIR 2008",
        pages="659--666",
        year="2008",
        doi="10.1145/1390334.1390446",
    ),
    _paper(
        "clarke2009nrbp",
        "Clarke, Kolla & Vechtomova 2009",
        "inproceedings",
        author="Clarke, Charles L. A. and Kolla, Maheedhar and Vechtomova, Olga",
        title="An Effectiveness Measure for Ambiguous and Underspecified Queries",
        booktitle="Advances in Information Retrieval Theory (ICTIR 2009)",
        pages="188--199",
        year="2009",
        doi="10.1007/978-3-642-04417-5_17",
    ),
    _paper(
        "cohen1960kappa",
        "Cohen 1960",
        "article",
        author="Cohen, Jacob",
        title="A Coefficient of Agreement for Nominal Scales",
        journal="Educational and Psychological Measurement",
        volume="20",
        number="1",
        pages="37--46",
        year="1960",
        doi="10.1177/001316446002000104",
    ),
    _paper(
        "faggioli2023perspectives",
        "Faggioli et al. 2023",
        "inproceedings",
        author="Faggioli, Guglielmo and others",
        title="Perspectives on Large Language Models for Relevance Judgment",
        booktitle="Proceedings of ICTIR 2023",
        pages="39--50",
        year="2023",
        doi="10.1145/3578337.3605136",
    ),
    _paper(
        "farzi2024exam",
        "Farzi & Dietz 2024",
        "article",
        author="Farzi, Naghmeh and Dietz, Laura",
        title="An Exam-based Evaluation Approach Beyond Traditional Relevance "
        "Judgments",
        journal="arXiv preprint arXiv:2402.00309",
        year="2024",
    ),
    _paper(
        "farzi2024rubric",
        "Pencils Down!",
        "inproceedings",
        author="Farzi, Naghmeh and Dietz, Laura",
        title="Pencils Down! Automatic Rubric-based Evaluation of Retrieve/Generate "
        "Systems",
        booktitle="Proceedings of ICTIR 2024",
        pages="175--184",
        year="2024",
        doi="10.1145/3664190.3672511",
    ),
    _paper(
        "jarvelin2002ndcg",
        "nDCG",
        "article",
        author='J{\\"a}rvelin, Kalervo and Kek{\\"a}l{\\"a}inen, Jaana',
        title="Cumulated Gain-based Evaluation of {IR} Techniques",
        journal="ACM Transactions on Information Systems",
        volume="20",
        number="4",
        pages="422--446",
        year="2002",
        doi="10.1145/582415.582418",
    ),
    _paper(
        "keikha2014rouge",
        "Keikha, Park & Croft 2014",
        "inproceedings",
        author="Keikha, Mostafa and Park, Jae Hyun and Croft, W. Bruce",
        title="Evaluating Answer Passages using Summarization Measures",
        booktitle="Proceedings of SIGIR 2014",
        pages="963--966",
        year="2014",
        doi="10.1145/2600428.2609485",
    ),
    _paper(
        "kendall1945ties",
        "Kendall 1945",
        "article",
        author="Kendall, M. G.",
        title="The Treatment of Ties in Ranking Problems",
        journal="Biometrika",
        volume="33",
        number="3",
        pages="239--251",
        year="1945",
    ),
    _paper(
        "lin2006pyramids",
        "Lin & Demner-Fushman 2006",
        "inproceedings",
        author="Lin, Jimmy and Demner-Fushman, Dina",
        title="Will Pyramids Built of Nuggets Topple Over?",
        booktitle="Proceedings of HLT-NAACL 2006",
        pages="383--390",
        year="2006",
    ),
    _paper(
        "macavaney2022irmeasures",
        "ir-measures",
        "inproceedings",
        author="MacAvaney, Sean and Macdonald, Craig and Ounis, Iadh",
        title="Streamlining Evaluation with ir-measures",
        booktitle="Advances in Information Retrieval (ECIR 2022)",
        pages="305--310",
        year="2022",
        doi="10.1007/978-3-030-99739-7_38",
    ),
    _paper(
        "reimers2019sbert",
        "all-minilm",
        "inproceedings",
        author="Reimers, Nils and Gurevych, Iryna",
        title="Sentence-{BERT}: Sentence Embeddings using {S}iamese {BERT}-Networks",
        booktitle="Proceedings of EMNLP-IJCNLP 2019",
        pages="3982--3992",
        year="2019",
        doi="10.18653/v1/D19-1410",
    ),
    _paper(
        "sander2021exam",
        "Sander & Dietz 2021",
        "inproceedings",
        author="Sander, David P. and Dietz, Laura",
        title="{EXAM}: How to Evaluate Retrieve-and-Generate Systems for Users Who Do "
        "Not (Yet) Know What They Want",
        booktitle="Proceedings of DESIRES 2021",
        series="CEUR Workshop Proceedings",
        volume="2950",
        year="2021",
    ),
    _paper(
        "sun2023chatgpt",
        "Sun et al. 2023",
        "inproceedings",
        author="Sun, Weiwei and others",
        title="Is {ChatGPT} Good at Search? Investigating Large Language Models as "
        "Re-Ranking Agents",
        booktitle="Proceedings of EMNLP 2023",
        year="2023",
    ),
    _paper(
        "thomas2023searcher",
        "Thomas et al. 2023",
        "article",
        author="Thomas, Paul and Spielman, Seth and Craswell, Nick and Mitra, Bhaskar",
        title="Large Language Models can Accurately Predict Searcher Preferences",
        journal="arXiv preprint arXiv:2309.10621",
        year="2023",
    ),
    _paper(
        "upadhyay2024umbrela",
        "Upadhyay et al. 2024",
        "article",
        author="Upadhyay, Shivani and Pradeep, Ronak and Thakur, Nandan and "
        "Craswell, Nick and Lin, Jimmy",
        title="{UMBRELA}: {UMbrela} is the (Open-Source Reproduction of the) {Bing} "
        "{RELevance} Assessor",
        journal="arXiv preprint arXiv:2406.06519",
        year="2024",
    ),
    _paper(
        "vu2020ava",
        "Vu & Moschitti 2020",
        "article",
        author="Vu, Thuy and Moschitti, Alessandro",
        title="{AVA}: an Automatic {eValuation} Approach to Question Answering Systems",
        journal="arXiv preprint arXiv:2005.00705",
        year="2020",
    ),
    _paper(
        "yilmaz2008tauap",
        "Yilmaz, Aslam & Robertson 2008",
        "inproceedings",
        author="Yilmaz, Emine and Aslam, Javed A. and Robertson, Stephen",
        title="A New Rank Correlation Coefficient for Information Retrieval",
        booktitle="Proceedings of SIGIR 2008",
        pages="587--594",
        year="2008",
        doi="10.1145/1390334.1390435",
    ),
    _paper(
        "zhai2003subtopic",
        "Zhai, Cohen & Lafferty 2003",
        "inproceedings",
        author="Zhai, ChengXiang and Cohen, William W. and Lafferty, John",
        title="Beyond Independent Relevance: Methods and Evaluation Metrics for "
        "Subtopic Retrieval",
        booktitle="Proceedings of SIGIR 2003",
        pages="10--17",
        year="2003",
    ),
)


def cited_keys(source: str) -> list[str]:
    return [reference.key for reference in REFERENCES if reference.mark in source]


def bibliography(keys: Collection[str]) -> str:
    return "\n".join(
        reference.bibtex for reference in REFERENCES if reference.key in keys
    )
