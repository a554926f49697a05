"""What the columns of a table mean: roles, the usual names for each, and how they are found.

The names are those people and tools use; see the documentation page *Input tables*.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.tables.metrics import ends_in_loss, is_amount, is_measure, is_plain, usual_direction

__all__ = [
    "ITEM_NUMBERS",
    "NAMING_ROLES",
    "NUMBER_ROLES",
    "ROLES",
    "TRAIT_ROLES",
    "Columns",
    "Role",
    "check_header",
    "cross_validated",
    "existing_column",
    "find_columns",
    "find_segments",
    "fold_name",
    "names_source",
    "paste_columns",
    "paste_metrics",
    "paste_names",
    "role_names",
]


class Role(NamedTuple):
    """A role: further names of its column, and names that count only where nothing else does."""

    aliases: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


# Names are compared without case and punctuation. The role's own name always counts, and wins.
ROLES: Mapping[str, Role] = {
    "model": Role(
        ("model_name", "model_id", "system", "system_id", "system_name", "method", "framework",
         "algorithm", "classifier", "estimator", "provider", "llm", "agent", "agent_name",
         "checkpoint", "algo", "flow_name",
         "modell", "modellname", "modèle", "modele", "modelo", "modello",
         "モデル", "模型", "модель"),
        ("classifier_name", "algorithm_name", "estimator_name", "method_name", "learner_id",
         "config", "name", "run_name", "team", "submission", "entrant", "submitter"),
    ),
    "task": Role(
        ("task_name", "tasks", "dataset", "dataset_name", "benchmark", "subtask", "subject",
         "evaluation_name", "env", "env_id", "env_name", "data_name", "datensatz", "aufgabe"),
    ),
    "item": Role(
        ("item_id", "sample_id", "example_id", "instance_id", "question_id", "doc_id", "uid",
         "prompt_id", "case", "case_id", "question", "problem", "problem_id", "item_idx",
         "sample_idx", "example_idx", "question_idx", "problem_idx", "doc_idx", "qid"),
        ("task_id", "id", "query_id", "request_id", "test_id", "test_name", "test_case",
         "testcase", "nodeid", "utterance_id", "utt_id", "utterance"),
    ),
    "fold": Role(("split_index", "cv_fold", "fold_id", "fold_idx", "outer_fold", "resample")),
    "repeat": Role(("repetition", "replicate")),
    "run": Role(("seed", "run_id", "random_seed", "random_state")),
    "epoch": Role(("sample", "attempt", "trial", "try", "rollout", "completion_id")),
    "variant": Role(
        ("prompt", "prompt_variant", "prompt_template", "template", "variant_id", "phrasing",
         "prompt_variation", "variation"),
    ),
    "condition": Role(),
    "score": Role(
        ("value", "correct", "is_correct", "resolved", "passed", "success", "accuracy", "result",
         "reward", "metric_value", "metric_error"),
        ("pass", "solved"),
    ),
    "metric": Role(("metric_name", "measure")),
    "category": Role(("task_category", "problem_type")),
    "family": Role(("task_family",)),
    "cluster": Role(("cluster_id", "group", "passage", "passage_id", "document", "document_id",
                     "repo")),
    "weight": Role(("task_weight", "item_weight")),
    "sampling_probability": Role(("inclusion_probability", "selection_probability")),
    "n": Role(("n_items", "n_samples", "num_samples", "sample_size", "n_questions")),
    "se": Role(("sem", "stderr", "standard_error", "std_err", "std_error", "score_se",
                "score_stderr")),
    "ci_low": Role(("ci_lower", "ci_lo", "lower_ci", "conf_low")),
    "ci_high": Role(("ci_upper", "ci_hi", "upper_ci", "conf_high")),
    "ci_level": Role(("confidence_level", "conf_level")),
    "status": Role(),
    "error": Role(("failure", "info", "exception", "error_message", "failure_reason")),
    "direction": Role(("higher_is_better", "lower_is_better")),
    "imputed": Role(("is_imputed",)),
}  # fmt: skip

# Roles that describe tasks.
TRAIT_ROLES = ("metric", "category", "family", "direction")

# Roles that say which row of a task a message speaks of.
NAMING_ROLES = ("item", "repeat", "fold", "run", "epoch", "metric")

NUMBER_ROLES = (
    "score",
    "weight",
    "sampling_probability",
    "n",
    "se",
    "ci_low",
    "ci_high",
    "ci_level",
)


# Another word for a role: what is said of it, and what may be asked for.
_SAID: Mapping[str, str] = {"variant": "prompt"}
_ASKED = {word: role for role, word in _SAID.items()}


class Columns(NamedTuple):
    """Which column of a table plays which role.

    Parameters
    ----------
    roles : mapping from str to str
        Column by role.
    named : frozenset of str
        Roles that the caller named; the others were recognised.
    passed_over : tuple of str
        Columns that could have played a role which a better name took.
    unused : tuple of str
        All columns without a role.
    """

    roles: Mapping[str, str]
    named: frozenset[str]
    passed_over: tuple[str, ...]
    unused: tuple[str, ...]

    def describe(self) -> str:
        """The roles as one line, such as ``model = 'system', task = 'dataset'``."""
        return describe_roles(self.roles)


def describe_roles(roles: Mapping[str, str]) -> str:
    """Which column is what, as one line.

    Examples
    --------
    >>> describe_roles({"model": "system", "variant": "template"})
    "model = 'system', prompt = 'template'"
    """
    return ", ".join(f"{_SAID.get(role, role)} = {name!r}" for role, name in roles.items())


# The same names are asked for with every file.
@lru_cache(maxsize=1024)
def fold_name(name: str) -> str:
    """Spelling by which names of columns and metrics are compared: letters and digits only.

    Examples
    --------
    >>> fold_name("Model Name")
    'modelname'
    """
    return "".join(character for character in name.casefold() if character.isalnum())


@cache
def role_names(role: str, *, weak: bool = False) -> frozenset[str]:
    """The names, folded, that a column of this role usually has; those that count weakly on demand.

    Examples
    --------
    >>> "stderr" in role_names("se"), "runname" in role_names("model")
    (True, False)
    """
    names = ROLES[role]
    return frozenset(map(fold_name, (role, *names.aliases, *(names.weak if weak else ()))))


def find_columns(
    columns: Sequence[str], named: Mapping[str, str], *, source: str = "the table",
    texts: Collection[str] | None = None,
) -> Columns:  # fmt: skip
    """Roles of the `columns` of one table.

    A name given in `named` is taken as it is; an empty one switches its role off. Otherwise the
    role's own name wins, then its usual names, of which there may be only one.

    Parameters
    ----------
    columns : sequence of str
        Header of the table.
    named : mapping from str to str
        Columns that the caller named, by role.
    source : str
        Name of the table in messages.
    texts : collection of str, optional
        Columns of text, where that is known: no scores where one of numbers could be.

    Raises
    ------
    DataError
        If a named column does not exist, or several columns could play one role.

    Examples
    --------
    >>> find_columns(["system", "question_id", "correct", "notes"], {}).describe()
    "model = 'system', item = 'question_id', score = 'correct'"
    """
    check_header(columns, source)
    named = {_ASKED.get(role, role): name for role, name in named.items()}
    roles: dict[str, str] = {}
    for role, name in named.items():
        if role not in ROLES:
            raise UnknownOptionError.among("column role", role, tuple(ROLES))
        if name:
            roles[role] = existing_column(name, role, columns, source)
    taken = set(roles.values())
    free = [name for name in columns if name not in taken]
    passed_over: list[str] = []
    roles |= _told_by_others(named, free)
    free = [name for name in free if name not in roles.values()]
    for role in ROLES:
        if role in named or role in roles:
            continue
        candidates = _candidates(role, free, texts or ())
        if candidates:
            roles[role] = _only(role, candidates, source)
            passed_over += [name for group in candidates for name in group if name != roles[role]]
    if "score" not in roles and "score" not in named:
        rest = [name for name in free if name not in roles.values()]
        metric = _with_error(free) or _metric_column(
            free, source, texts or (), _undecided(rest, texts)
        )
        if metric is not None:
            # A column called "error" may be a rate; then it is the score, not a failure text.
            roles = {role: name for role, name in roles.items() if name != metric}
            roles["score"] = metric
    if not {"se", "ci_low"} & {*roles, *named}:
        roles |= _own_error(roles, free)
    roles |= _source_of_items({*roles, *named}, [n for n in free if n not in roles.values()])
    numbers = () if texts is None else [name for name in free if name not in texts]
    roles |= _item_by_number(numbers, {*roles, *named})
    ordered = {role: roles[role] for role in ROLES if role in roles}
    used = set(ordered.values())
    return Columns(
        ordered,
        frozenset(role for role, name in named.items() if name),
        tuple(name for name in passed_over if name not in used),
        tuple(name for name in columns if name not in used),
    )


# Columns of a record of one evaluation run.
_RUN_RECORD = frozenset({"modelid", "taskid", "metricname", "score"})


# What rows may come from, where a column beside it names the items.
_SOURCES = frozenset({
    "patient", "patientid", "participant", "participantid", "subjectid", "scan", "scanid", "doc",
    "repository", "repoid", "conversationid", "speaker", "speakerid", "video", "videoid",
    "sessionid", "sceneid", "volumeid",
})  # fmt: skip


def _source_of_items(known: Collection[str], free: Sequence[str]) -> dict[str, str]:
    """The cluster, where a column beside that of the items is called after what they come from."""
    found = [name for name in free if names_source(name)]
    asked = "item" in known and "cluster" not in known
    return {"cluster": found[0]} if found and asked else {}


def names_source(name: str) -> bool:
    """Whether a column is called after what items come from.

    Examples
    --------
    >>> names_source("patient_id"), names_source("session_uuid"), names_source("gpt")
    (True, True, False)
    """
    folded = fold_name(name)
    return folded in _SOURCES or (
        folded.endswith("uuid") and f"{folded.removesuffix('uuid')}id" in _SOURCES
    )


def _told_by_others(named: Collection[str], free: Sequence[str]) -> dict[str, str]:
    """Roles of columns whose names say what they are only beside certain others."""
    found: dict[str, str] = {}
    for role in _BESIDE_ITEMS:
        if not {"item", role} & set(named):
            found |= _beside_items(role, free)
    tested = cross_validated(free)
    if len(tested) == 1 and "score" not in named:
        found["score"] = tested[0]
    return found if {"item", "cluster"} & set(named) else found | find_segments(free)


def cross_validated(columns: Collection[str]) -> list[str]:
    """The scores of what ``cross_validate`` of scikit-learn returns, a row for each fold.

    Examples
    --------
    >>> cross_validated(["", "fit_time", "score_time", "test_r2", "train_r2"])
    ['test_r2']
    """
    return [name for name in columns if name.startswith("test_")] if {*columns} >= _TIMES else []


_TIMES = frozenset({"fit_time", "score_time"})

# What names the item, and beside another name of items something else: by role its name, and
# what is no other name of items.
_BESIDE_ITEMS = {
    "task": ("taskid", frozenset[str]()),
    "variant": ("promptid", frozenset({"promptid"})),
    "epoch": ("sampleidx", frozenset({"item", "sampleid", "sampleidx"})),
}


def _beside_items(role: str, free: Sequence[str]) -> dict[str, str]:
    """The column that plays a role because another one names the items, or that of a record."""
    called, itself = _BESIDE_ITEMS[role]
    folded = {fold_name(name): name for name in free}
    beside = folded.keys() & (role_names("item") - itself) and not folded.keys() & role_names(role)
    record = role == "task" and folded.keys() >= _RUN_RECORD
    return {role: folded[called]} if called in folded and (beside or record) else {}


# Segments, as those of translations, and the documents that they stand in.
_SEGMENTS = frozenset({"segid", "segmentid", "segidx", "segmentidx", "sentid",
                       "sentenceid", "sentidx", "sentenceidx"})  # fmt: skip
_DOCUMENTS = frozenset({"doc", "docid", "docidx", "document", "documentid", "documentidx"})


def find_segments(free: Sequence[str]) -> dict[str, str]:
    """The item and its cluster, where segments stand beside their documents.

    Examples
    --------
    >>> find_segments(["system", "doc_id", "seg_id", "score"]), find_segments(["doc_id", "score"])
    ({'item': 'seg_id', 'cluster': 'doc_id'}, {})
    """
    segments = [name for name in free if fold_name(name) in _SEGMENTS]
    documents = [name for name in free if fold_name(name) in _DOCUMENTS]
    if len(segments) != 1 or len(documents) != 1:
        return {}
    return {"item": segments[0], "cluster": documents[0]}


def paste_names(option: str, names: Iterable[str]) -> str:
    """An option once for each name, to be pasted into a shell.

    Examples
    --------
    >>> paste_names("--metric", ["arc", "math 500"])
    "--metric arc --metric 'math 500'"
    """
    return shlex.join(part for name in names for part in (option, name))


def paste_metrics(metrics: Sequence[str]) -> str:
    """How a table is ranked by one of several metrics, with the others beside it.

    Examples
    --------
    >>> paste_metrics(["COMET", "TER"])
    'Name one; ranks by others stand beside it: --metric COMET --also TER.'
    """
    first, more = paste_names("--metric", metrics[:1]), paste_names("--also", metrics[1:])
    if not more:
        return f"Name it: {first}."
    return f"Name one; ranks by others stand beside it: {first} {more}."


def paste_columns(roles: Mapping[str, str]) -> str:
    """The options that name columns, to be pasted into a shell.

    Examples
    --------
    >>> paste_columns({"score": "run a/acc", "se": "err"})
    "--column 'score=run a/acc' --column se=err"
    """
    return paste_names("--column", (f"{role}={name}" for role, name in roles.items()))


# With one of these, a number of the row need not name the item.
_NAMES = frozenset({"model", "item", "fold", "repeat", "run", "epoch"})
ITEM_NUMBERS = frozenset({"idx", "index", "key"})


def _item_by_number(numbers: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """The item, where a file of one model numbers its rows and nothing else names them."""
    found = [name for name in numbers if fold_name(name) in ITEM_NUMBERS and not _NAMES & {*known}]
    return {"item": found[0]} if len(found) == 1 else {}


def check_header(columns: Sequence[str], source: str) -> None:
    """Raises `DataError` if a column is named twice."""
    seen: set[str] = set()
    for name in columns:
        if name in seen:
            raise DataError(
                f"{source}: the column {name!r} is named twice. Each column needs a name of its "
                f"own; the header reads {list_names(columns, 6)}."
            )
        seen.add(name)


def existing_column(name: str, role: str, columns: Sequence[str], source: str) -> str:
    """The column that the caller named; raises `DataError` if there is none of this name."""
    if name in columns:
        return name
    near = difflib.get_close_matches(name, list(columns), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if role == "score" and is_measure(name):
        hint += (
            f" In a matrix every column of numbers is one; what they measure, in place "
            f"of this option: --metric {shlex.quote(name)} (in Python: metric={name!r})."
        )
    error = DataError(
        f"{source}: there is no column {name!r} to be the {role}.{hint} "
        f"Columns: {list_names(columns, 20)}."
    )
    raise error.about(Lacking(role, (name,), tuple(columns)) if role == "cluster" else None)


def _candidates(role: str, free: Sequence[str], texts: Collection[str]) -> list[list[str]]:
    """Columns that can play `role`: best group first, empty groups left out."""
    aliases, weak = ROLES[role]
    groups = []
    for names in ((role,), aliases, *((name,) for name in weak)):
        spellings = {fold_name(alias) for alias in names}
        group = [name for name in free if fold_name(name) in spellings]
        if role == "score":  # no text, where there is something else
            group = [name for name in group if name not in texts] or group
        if group:
            groups.append(group)
    return groups


def _only(role: str, candidates: list[list[str]], source: str, more: str = "") -> str:
    best = candidates[0]
    if len(best) > 1:
        plain = [name for name in best if not is_amount(name)] or best
        offered = next((name for name in plain if "test" in re.split(r"[\W_]+", name)), plain[0])
        raise DataError(
            f"{source}: {len(best)} columns could be the {role}: {list_names(best, 20)}. "
            f"Name the one to use: {paste_columns({role: offered})} "
            f"(in Python: columns={{{role!r}: {offered!r}}}).{more or _ask_whether_models(plain)}"
        )
    return best[0]


def _ask_whether_models(names: Sequence[str]) -> str:
    """Columns of one metric, such as base_nll and tuned_nll, may be models."""
    for ending in dict.fromkeys(re.split(r"[\W_]+", name)[-1] for name in names):
        alike = [name for name in names if re.split(r"[\W_]+", name)[-1] == ending != name]
        if len(alike) > 1 and (side := usual_direction(ending)) is not None:
            lower = " --direction lower" if side == "lower" else ""
            return (
                f" If {list_names(alike, 3)} are models, each with its {ending}: --layout "
                f"items-by-models{lower}."
            )
    return ""


# How the column is called that holds the standard errors of another.
_ERROR = re.compile(r"[\W_]+(?:stderr|std_?err(?:or)?|standard_error|sem|se|err)\W*", re.I)


def _error_of(score: str, columns: Sequence[str]) -> str | None:
    """The one column of the standard errors of `score`, as in ``acc``, ``acc_stderr``."""
    found = [
        name
        for name in columns
        if name.startswith(score) and _ERROR.fullmatch(name, len(score)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _own_error(roles: Mapping[str, str], free: Sequence[str]) -> dict[str, str]:
    """The column of the standard errors of the score that is called after it."""
    rest = [name for name in free if name not in roles.values()]
    error = _error_of(roles["score"], rest) if "score" in roles else None
    return {} if error is None else {"se": error}


def _with_error(columns: Sequence[str]) -> str | None:
    """The one column beside which the column of its standard errors stands."""
    found = [name for name in columns if _error_of(name, columns) is not None]
    return found[0] if len(found) == 1 else None


def _undecided(rest: Sequence[str], texts: Collection[str] | None) -> list[str]:
    """Numbers of which nothing says which is the score.

    So are places that somebody gave, and grades beside what they took or cost.
    """
    if texts is None:
        return []
    numbers = [name for name in rest if name not in texts]
    places = [name for name in numbers if fold_name(name).endswith("rank")]
    amounts = [name for name in numbers if is_amount(name)]
    grades = [name for name in numbers if name not in amounts and is_plain(name)]
    return numbers if len(places) == 1 else [*grades, *amounts] if grades else []


def _metric_column(
    free: Sequence[str], source: str, texts: Collection[str], beside: Sequence[str]
) -> str | None:
    """The one column whose name is a known metric; raises `DataError` if there are several."""
    known = [name for name in free if usual_direction(name) is not None]
    known = [name for name in known if name not in texts] or known
    known = known or [name for name in free if name not in texts and ends_in_loss(name)]
    if len(known) == 1 and known[0] in beside:
        known = [*(name for name in beside if name != known[0]), *known]
    known.sort(key=lambda name: usual_direction(name) != "higher")
    rows = role_names("item", weak=True) | role_names("task")
    matrix = " If each column of numbers is a task: --layout models-by-tasks."
    matrix = "" if any(fold_name(name) in rows for name in free) else matrix
    return _only("score", [known], source, matrix) if known else None
