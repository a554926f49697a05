"""What stands in a table of scores and is none: summaries, amounts, counts, descriptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import (
    ends_in_loss,
    is_amount,
    is_measure,
    name_words,
    stated_direction,
    usual_direction,
)
from rankbars.tables.metricwords import LOWER, split_words

__all__ = [
    "COUNTS", "are_settings", "describes_answers", "describes_models", "has_counts",
    "is_attribute", "is_helper", "is_mean_of_losses", "is_mean_of_metric", "is_mean_of_some",
    "is_never_score", "is_rating", "is_summary", "likely_scores", "other_kinds", "without_extent",
]  # fmt: skip

# Rows and columns that summarise the others.
SUMMARIES = split_words("""
    mean average avg overall total median std stdev meanrank averagerank avgrank wins nwins
    meanscore averagescore avgscore overallscore totalscore macroavg macroaverage microavg
    microaverage ø mittelwert durchschnitt schnitt gesamt moyenne promedio 平均
    summe somme suma soma totale totaal gemiddelde 合計 合计 总分 总计 合計点 平均点 平均分 平均值
    stddev standardabweichung stdabw stdabweichung stabw standardfehler
    écarttype ecarttype desviaciónestándar desviacionestandar 标准差
""")

# Words that name a summary together, where one of the first is among them.
_STATISTICS = split_words("mean average avg overall total median std stdev stddev wtl pvalue")
_BESIDE_STATISTICS = split_words("""
    geo geometric arithmetic harmonic macro micro weighted unweighted std dev deviation standard
    acc accuracy score scores performance result results wins ties losses rank of the all across
    tasks datasets benchmarks final w t l p value
""")

# What a test of differences gave, and the words that stand beside its name.
_TESTS = split_words("wilcoxon friedman nemenyi mcnemar ttest pvalue pval")
_BESIDE_TESTS = split_words("""
    p value test signed rank ranks sign statistic stat adj adjusted corrected holm bonferroni vs
    best ours z t w
""")

# Of these, what may have in brackets behind what it is of.
_MEANS = split_words("mean average avg")

# How a model was run.
SETTINGS = split_words("""
    temperature topp topk seed maxtokens maxnewtokens numfewshot nshot nshots shots fewshot
    batchsize contextlength repetitionpenalty frequencypenalty presencepenalty limit timeout
    lr learningrate weightdecay dropout momentum epochs nepochs numepochs warmup warmupsteps
    warmupratio gradaccum gradientaccumulationsteps hiddensize hiddendim nlayers numlayers nheads
    numheads lorar lorarank loraalpha optimizer scheduler trainsteps numsteps nsteps maxsteps
""")

# Columns that describe a model or summarise its row, and are no task.
HELPERS = (
    SUMMARIES
    | SETTINGS
    | split_words("""
    meanwinrate rank averagerank meanrank position place
    score url link license licence organization organisation author type architecture params
    parameters nparams paramsb size date released releasedate submissiondate year precision
    nseeds numseeds seeds nruns numruns runs ntrials numtrials trials
    release launch launched updated cutoff votes battles stars dimension dimensions dim dims
    entries nentries numentries submissions nsubmissions numsubmissions
    hub hublikes likes downloads step steps globalstep trainstep trainingstep iteration iterations
    languages nlanguages numlanguages
    timestamp timestamps timestampms unixtime unixtimestamp epochtime ts heartbeat heartbeatat
    stacklevel fitorder
    starttime endtime startedat finishedat starttimestamp endtimestamp
""")
)

# What says nothing of a model itself, only how its row compares with others, or is their summary.
_PLACES = split_words("meanwinrate rank averagerank meanrank position place score")

# What else people write beside a model to know it by.
_KNOWN_BY = split_words("""
    provider vendor company developer lab maker creator country open opensource openweights weights
    access tier family modelfamily basemodel modelsize contextwindow context quantization hardware
    flagged merged moe
    cutoff knowledgecutoff released modality dateadded added submitted submittedat updated
    updatedat lastupdated created createdat uploaded uploaddate publicationdate
""")

# Amounts that describe a model, and the words that stand beside them.
_AMOUNTS = split_words("""
    latency time cost price tokens size memory vram throughput speed rtfx fps runtime duration
    walltime
    params parameters tok toks tps context ctx
    kwh wh emissions co2 co₂ ram ttft tpot itl flops gflops tflops flop macs gmacs
""")
_BESIDE = split_words("""
    avg average mean median total max min p50 p90 p95 p99 per of the in and s sec secs second
    seconds ms min minutes h hours usd eur gb mb kb gib b m k 1k 1m million input output
    prompt completion inference training wall gpu cpu first number model window length limit
    vocab vocabulary tokenizer
    n num count usage used peak active activated trainable embedding hidden out kg g
    response answer summary document reply words chars characters day month last g t train training
    test
""")

# Amounts where other words stand beside: by themselves these are names of data sets too.
_AMOUNTS_BESIDE = split_words("""
    length lengths energy hours hrs dimension dimensions dim dims disk storage mem
    vote votes battle battles comparison comparisons game games match matches
    downloads likes stars turns rounds steps calls retries messages
""")

# When a model was made or added, where words or a year of these stand beside.
_DATES = split_words("""
    date year release released launch launched cutoff updated update submitted published uploaded
    created
""")
_BESIDE_DATES = split_words("""
    date last first knowledge training model of data the on in at utc paper day month hub upload
    submission publication
""")

# What tells the place of a row among the others, and the words that stand beside.
_RANKS = split_words("rank place position")
_BESIDE_RANKS = split_words("""
    overall borda global final total mean average avg by votes elo score old new previous change
    ub lb stylectrl style control the in
""")
_RANK_SIGNS = frozenset({"#", "№", "nº", "n°", "no.", "nr.", "δ", "∆", "±"})  # folded

# Ratings from comparisons, which have no scale in common with scores.
_RATINGS = split_words("elo rating")
_BESIDE_RATINGS = split_words("arena chatbot lmarena lmsys score overall bt text")

# What stands beside the answers of models to items, and is no model.
_BESIDE_ANSWERS = split_words("""
    difficulty label labels target targets answer answers correctanswer goldanswer gold
    goldlabel groundtruth output prediction predicted response completion expected delta diff
    difference category categories subject topic domain subset split level length nwords nchars
    ntokens numtokens tokencount wordcount timestamp uploader
""")

# How far ahead a forecast looks: errors of one forecast at several of them go together.
_AHEAD = split_words("""
    horizon forecasthorizon predlen predictionlength leadtime leadtimeh leadtimehours leadtimedays
    leadhours leaddays stepsahead daysahead hoursahead
""")

# What describes data sets beside the scores of models on them.
_BESIDE_DATA_SETS = split_words("""
    classes nclasses numclasses features nfeatures numfeatures nfeat feat feats instances inst
    ninstances ninst samples nsamples rows nrows attributes nattributes cols ncols imbalance
""")

# What is said of people, beside what was measured of them, and the words that stand beside.
_PEOPLE = split_words("""
    age alter sex gender geschlecht bmi birthyear geburtsjahr yearofbirth agegroup altersgruppe
    âge sexe edad sexo età sesso
""")
_BESIDE_PEOPLE = split_words("""
    year years yr yrs y jahr jahre jahren j month months at in of patient patients subject baseline
    group gruppe code coded kg m m2 w f d male female männlich weiblich 0 1 2
""")

# Measures of calibration: how far probabilities are from shares, not how many answers are right.
_CALIBRATION = split_words("ece mce brier brierscore calibrationerror calibration")

# Places of the counts in a table of truth by answer, the positive class last.
COUNTS: Mapping[str, tuple[int, int]] = {
    name: place
    for names, place in (
        ("tn truenegative truenegatives", (0, 0)),
        ("fp falsepositive falsepositives", (0, 1)),
        ("fn falsenegative falsenegatives", (1, 0)),
        ("tp truepositive truepositives", (1, 1)),
    )
    for name in split_words(names)
}

# Columns of a history of runs that hold the ends of what is averaged in another.
_COPIES = ("__MIN", "__MAX")

# Numbers that stand beside a score.
_NEVER_SCORES = split_words("""
    count counts n nobs size total std stdev stddev sd se sem stderr err error var variance min
    minimum max maximum iqr range index idx id step steps globalstep iteration iter epoch seed fold
    timestamp date year
""")

# What an average is of, behind its name: so many tasks; all of them, or their kinds.
_COUNT = re.compile(r"\s*\((?P<count>\d+)(?: \w+)?\)$")
_OF_ALL = re.compile(r"\s*[(\[](?:all|overall|total)(?: tasks?)?[)\]]$", re.IGNORECASE)
_OF_KINDS = re.compile(
    r"\s*[(\[](?:(?:task|dataset|benchmark|type|categor|subject|language)(?:s|y|ies)?\s?"
    r"(?:types?|categor(?:y|ies))?|macro|micro|weighted|unweighted)[)\]]$",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"(?P<name>[^()\[\]]*)[(\[][^()\[\]]*[)\]]\s*$")


def is_helper(name: str) -> bool:
    """Whether a column of a matrix describes a model or summarises its row.

    Examples
    --------
    >>> is_helper("#Params (B)"), is_helper("GSM8K"), is_helper("Cost ($)")
    (True, False, True)
    >>> is_helper("Δ GSM8K"), is_helper("Contaminated?"), is_helper("Languages")
    (True, True, True)
    """
    copy = name.endswith(_COPIES)
    known = fold_name(name) in HELPERS or is_attribute(name) or _is_rank(name) or copy
    return known or bool(_NO_TASK.search(name))


# A change (of something), or a question with yes or no.
_NO_TASK = re.compile(r"^[Δ∆δ]\s*\S|\S\s*[Δ∆δ]$|(?i:^delta[\W_]+\S)|\w\?$|^rank_(?:test|train)_")

# A comparison of two models, or a difference.
_COMPARES = re.compile(r"(?i)\bvs\b\.?|\bp[- ]?value\b|^[Δ∆δ]|^(?:delta|gap|margin)\b")


def _is_rank(name: str) -> bool:
    """Whether a name is that of a place among the others.

    Examples
    --------
    >>> _is_rank("#"), _is_rank("Rank (Borda)"), _is_rank("Overall rank"), _is_rank("Reranking")
    (True, True, True, False)
    """
    ranked = _is_made_of(name_words(name), _RANKS, _BESIDE_RANKS)
    return ranked or name.strip().casefold() in _RANK_SIGNS


def is_rating(name: str) -> bool:
    """Whether a name is that of a rating from comparisons, and of nothing else.

    Examples
    --------
    >>> is_rating("Elo"), is_rating("Arena rating"), is_rating("Codeforces rating")
    (True, True, False)
    """
    return _is_made_of(name_words(name), _RATINGS, _BESIDE_RATINGS)


def _is_made_of(words: Iterable[str], telling: Collection[str], beside: Collection[str]) -> bool:
    """Whether one of the words tells what is meant, and the others only stand beside such words.

    >>> _is_made_of(["arena", "elo"], {"elo"}, {"arena"})
    True
    >>> _is_made_of(["arena"], {"elo"}, {"arena"}), _is_made_of(["math", "elo"], {"elo"}, {"arena"})
    (False, False)
    """
    others = [word for word in words if word not in telling]
    return len(others) < len([*words]) and all(word in beside for word in others)


def likely_scores(names: Iterable[str]) -> list[str]:
    """Those columns of numbers that may be the score, the likeliest first.

    Examples
    --------
    >>> likely_scores(["step", "quality", "mean", "std", "count", "acc_stderr"])
    ['mean', 'quality']
    """
    free = [
        name
        for name in names
        if not _NEVER_SCORES & {fold_name(name), fold_name(re.split(r"[\W_]+", name)[-1])}
        and not is_attribute(name) and not name.endswith(_COPIES)
    ]  # fmt: skip
    return sorted(
        free,
        key=lambda name: (
            not is_summary(name),
            not is_measure(name),
            "test" not in name_words(name),
        ),
    )


def is_summary(name: str) -> bool:
    """Whether a row or a column of a matrix is called a summary of the others.

    Examples
    --------
    >>> is_summary("Avg."), is_summary("Average (3)"), is_summary("meanwhile")
    (True, True, False)
    >>> is_summary("Geo. mean"), is_summary("p-value"), is_summary("mean IoU")
    (True, True, False)
    >>> is_summary("Wilcoxon p"), is_summary("p (Friedman test)"), is_summary("P@1")
    (True, True, False)
    >>> is_summary("Mean (TaskType)"), is_summary("Average (all)"), is_summary("Average (math)")
    (True, True, False)
    """
    plain = _OF_KINDS.sub("", without_extent(name)[0])
    if fold_name(plain) in (SUMMARIES if plain == name or _COUNT.search(name) else _MEANS):
        return True
    words = set(name_words(name))
    of_test = _is_made_of(words, _TESTS, _BESIDE_TESTS)
    return of_test or words in _TOLD_BY_ALL or _is_made_of(words, _STATISTICS, _BESIDE_STATISTICS)


def without_extent(name: str) -> tuple[str, int | None]:
    """A summary's name without what it says it is of: so many, whose number stands beside, or all.

    Examples
    --------
    >>> without_extent("Average (3)"), without_extent("Mean (all)"), without_extent("Mean (en)")
    (('Average', 3), ('Mean', None), ('Mean (en)', None))
    """
    count = _COUNT.search(name)
    return _OF_ALL.sub("", _COUNT.sub("", name)), None if count is None else int(count["count"])


# A standard deviation, wins and losses, and what a difference could be by chance.
_TOLD_BY_ALL = ({"std", "dev"}, {"standard", "deviation"}, {"w", "t", "l"}, {"p", "value"})


def is_mean_of_some(name: str) -> bool:
    """Whether a name is that of a mean, with what it is of in brackets behind.

    Examples
    --------
    >>> is_mean_of_some("Average (math)"), is_mean_of_some("Recall (mean)"), is_mean_of_some("Avg")
    (True, False, False)
    """
    found = _BRACKET.fullmatch(name)
    return found is not None and fold_name(found["name"]) in _MEANS


def is_mean_of_losses(name: str) -> bool:
    """Whether a name is that of a mean, and says that lower is better.

    Examples
    --------
    >>> is_mean_of_losses("Average WER"), is_mean_of_losses("Avg. \u2b07\ufe0f")
    (True, True)
    >>> is_mean_of_losses("Mean squared error"), is_mean_of_losses("Mean IoU")
    (False, False)
    """
    words = name_words(name)
    of = " ".join(word for word in words if word not in _MEANS)
    lower = ends_in_loss(of) and "".join(words) not in LOWER
    known = stated_direction(name) == "lower" or lower
    return known and bool(_MEANS & {*words}) and not is_attribute(name)


def is_mean_of_metric(name: str) -> bool:
    """Whether a name is that of the average of a metric, which is no metric of its own.

    Examples
    --------
    >>> is_mean_of_metric("Average WER"), is_mean_of_metric("Avg nDCG@10")
    (True, True)
    >>> is_mean_of_metric("Average precision"), is_mean_of_metric("Mean IoU")
    (False, False)
    """
    first, *rest = name_words(name) or [""]
    whole = "".join((first, *rest))
    of = usual_direction("".join(rest)) is not None
    return first in _AVERAGES and of and usual_direction(whole) is None


_AVERAGES = split_words("average avg overall ø")


def is_never_score(name: str) -> bool:
    """Whether a number of this name stands beside scores, such as how far they are spread.

    Examples
    --------
    >>> is_never_score("SD"), is_never_score("max"), is_never_score("seed_1")
    (True, True, False)
    """
    return fold_name(name) in _NEVER_SCORES


def is_attribute(name: str) -> bool:
    """Whether a name is that of an amount of a model, and of nothing else: no task is named.

    Examples
    --------
    >>> is_attribute("Latency (s)"), is_attribute("gsm8k_latency_s"), is_attribute("time")
    (True, False, True)
    >>> is_attribute("Speed (tok/s)"), is_attribute("$/1M"), is_attribute("MMLU")
    (True, True, False)
    >>> is_attribute("Context (k)"), is_attribute("Context length"), is_attribute("Context recall")
    (True, True, False)
    >>> is_attribute("Active params"), is_attribute("Avg length"), is_attribute("Length")
    (True, True, False)
    >>> is_attribute("Release (2025)"), is_attribute("Knowledge cutoff"), is_attribute("Knowledge")
    (True, True, False)
    """
    words = set(name_words(name))
    several = len(words) > 1
    telling = _AMOUNTS | _AMOUNTS_BESIDE if several else _AMOUNTS
    beside = _BESIDE | _AMOUNTS_BESIDE
    if _is_made_of(words, telling, beside) or ("$" in name and words <= telling | beside):
        return True
    plain = [word for word in words if not word.isdecimal()]
    return several and _is_made_of(plain, _DATES, _BESIDE_DATES)


def describes_models(name: str) -> bool:
    """Whether a column that is no score says something of a model by which it may be found.

    Examples
    --------
    >>> describes_models("License"), describes_models("gsm8k_latency_s"), describes_models("Avg.")
    (True, True, False)
    """
    folded = fold_name(name)
    known = folded in _KNOWN_BY or folded in HELPERS - SUMMARIES - _PLACES
    return known or is_attribute(name) or is_amount(name) or _is_calibration(name)


def tells_horizon(name: str) -> bool:
    """Whether a column says how far ahead a forecast looks.

    Examples
    --------
    >>> tells_horizon("lead_time"), tells_horizon("pred_len"), tells_horizon("time")
    (True, True, False)
    """
    return fold_name(name) in _AHEAD


def describes_answers(name: str) -> bool:
    """Whether a column beside models describes the items or compares models: it is no model.

    Examples
    --------
    >>> describes_answers("Difficulty"), describes_answers("n_tokens"), describes_answers("human")
    (True, True, False)
    >>> describes_answers("Alter [Jahre]"), describes_answers("sex"), describes_answers("sage-2")
    (True, True, False)
    >>> describes_answers("Δ(best-2nd)"), describes_answers("Gap"), describes_answers("gapless-7b")
    (True, True, False)
    >>> describes_answers("setup_id"), describes_answers("uploader")
    (True, True)

    TPOT is a system for machine learning, and beside others no time per token:

    >>> describes_answers("TPOT"), describes_answers("TPOT (ms)")
    (False, True)
    """
    words = name_words(name)
    beside = fold_name(name) in _BESIDE_ANSWERS | _BESIDE_DATA_SETS | _AHEAD or words[-1:] == (
        "id",
    )
    of_people = _is_made_of(words, _PEOPLE, _BESIDE_PEOPLE)
    amount = is_attribute(name) and words != ("tpot",)
    return beside or of_people or amount or bool(_COMPARES.search(name))


def are_settings(names: Iterable[str]) -> bool:
    """Whether all columns say how a model was run, so that none is a score.

    Examples
    --------
    >>> are_settings(["temperature", "max_tokens"]), are_settings(["temperature", "math"])
    (True, False)
    """
    folded = {fold_name(name) for name in names}
    return bool(folded) and folded <= SETTINGS


def other_kinds(names: Sequence[str]) -> list[str]:
    """Those columns that are amounts or measures of calibration, where others are not.

    Examples
    --------
    >>> other_kinds(["gsm8k_acc", "gsm8k_latency_s"]), other_kinds(["a_time_s", "b_time_s"])
    (['gsm8k_latency_s'], [])
    """
    found = [name for name in names if is_amount(name) or _is_calibration(name)]
    known = any(usual_direction(name) == "higher" for name in names)
    if len(found) == len(names) or (not known and not any(map(is_amount, found))):
        return []
    return found


def _is_calibration(name: str) -> bool:
    words = name_words(name)
    return bool(_CALIBRATION & {*words, "".join(words)})


def has_counts(columns: Collection[str]) -> bool:
    """Whether columns hold counts of right and wrong answers by class, true negatives apart.

    Examples
    --------
    >>> has_counts(["model", "TP", "FP", "FN"]), has_counts(["model", "tp", "fn"])
    (True, False)
    """
    found = {COUNTS[fold_name(one)] for one in columns if fold_name(one) in COUNTS}
    return {(0, 1), (1, 0), (1, 1)} <= found
