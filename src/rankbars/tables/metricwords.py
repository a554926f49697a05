"""Words in the names of metrics, by what they say of the side that is better and of the unit.

The lists never flip a score. A name that they list as lower-is-better stops the reading until the
direction is declared, because stored results are often negated already.
"""

from __future__ import annotations

import re

__all__ = [
    "AMOUNTS",
    "CORPORA",
    "CRITERIA",
    "HIGHER",
    "LOWER",
    "MAY_BE_NEGATIVE",
    "NEGATED",
    "PARTS",
    "PLACES",
    "PLAIN",
    "PROPORTIONS",
    "QUANTITIES",
    "SCALED",
    "SPENT",
    "SYLLABLES",
    "TELLING",
    "UNWANTED",
    "VIRTUES",
    "split_words",
]


def split_words(text: str) -> frozenset[str]:
    """The words of a text, as lists in this package are written."""
    return frozenset(text.split())


LOWER = split_words("""
    error errors metricerror errorrate err er loss logloss nll negativeloglikelihood
    negloglikelihood crossentropy perplexity wordperplexity byteperplexity ppl bitsperbyte bpb
    bitspercharacter bpc brier brierscore ece mce calibrationerror wer cer ter mer wil eer
    fid kid der rmse mse mae mape smape mase msle rmsle nrmse rmsse wape wrmsse medae
    meanabsoluteerror meansquarederror rootmeansquarederror squarederror absoluteerror crps
    wql quantileloss pinballloss hinge deviance hammingloss zerooneloss latency runtime time
    duration seconds cost price tokens regret distance toxicity toxicityrate
    hallucinationrate falsepositiverate fpr falsenegativerate fnr failurerate refusalrate
    attacksuccessrate hallucinations violations timeouts failed failures losses
    misses missrate misclass misclassified misclassification misclassifications mistakes defects
    fpr95 fdr falsediscoveryrate falsealarmrate failrate crashrate collisionrate
    hd hausdorff assd asd chamfer emd epe aepe ade minade fde minfde mpjpe pampjpe mpvpe pve nme
    absrel absrelative sqrel rmselog silog levenshtein wasserstein divergence drift jitter
    volumedifference lpips dists fad fvd mcd niqe brisque piqe mindcf tdcf jer aurc eaurc augrc
    ause optimalitygap aic bic fpr95tpr rtf mdape mdae owa msis mis wis winkler winklerscore
    intervalscore energyscore logscore rmsd residual residuals looic waic gaptooptimal gaptoopt
    percentincorrect classifce usercputime buildcputime elapsedtime noisesensitivity
    promptsensitivity formatsensitivity ordersensitivity positionsensitivity
    perturbationsensitivity
""")

# Counts or shares of what should not be, and sometimes the name of a test of it: they count by
# themselves, and before a rate or a number; as parts of other names they say nothing.
UNWANTED = re.compile(
    r"hallucinat(?:ed|es|ions?|ing)|toxic|(?:over|false)?refus(?:ed|es|als?)|bias(?:es|ed)?"
    r"|stereotyp(?:es?|ed|ing)|harm(?:s|ful|fulness)?|unsafe|jailbr(?:eaks?|oken)|misinformation"
    r"|sycophan(?:cy|tic)|decepti(?:on|ve)|leak(?:s|ed|age)|crash(?:es|ed)?|omissions?"
    r"|(?:is|was)?(?:wrong|incorrect)|mistak(?:es?|en)|invalid|bugs?|defect(?:s|ive)?|faults?|fail(?:s|ed|ures?)?"
    r"|loss(?:es)?|lost|miss(?:es|ed)?|mis(?:class|predict|label)\w*|violat(?:es|ed|ions?)"
    r"|timeouts?|timedout|regress(?:ed|ions?)|collisions?|offroad|errors?|errored"
    r"|false(?:positives?|negatives?|alarms?)|un(?:solved|resolved|answered)|rejected|rejections?"
)
QUANTITIES = split_words("""
    rate rates ratio share fraction frac percent percentage pct count counts num number n no total
    is was has probability prob avg mean per score
""")
# Names of metrics that are names of data sets too.
CORPORA = frozenset({"ami"})
PLACES = split_words("rank ranks ranking position")

NEGATED = split_words("negloglikelihood negativeloglikelihood")

# What a metric was measured on, as scikit-learn writes it: test_neg_log_loss.
PARTS = frozenset({"test", "train", "val"})

# Of these, what also ends other names.
SYLLABLES = split_words("er err der ter mer kid fid duration seconds hd asd ade emd bic drift")

# Of these, the logarithm of a density or a difference may lie below 0.
MAY_BE_NEGATIVE = split_words("""
    loss nll negativeloglikelihood negloglikelihood crossentropy bitsperbyte bpb
    bitspercharacter bpc deviance regret looic
""")

# Amounts of time and money: less is usually better, but a rate or a budget is written the same.
AMOUNTS = split_words("latency time duration seconds walltime cputime price tokens cost")
PROPORTIONS = split_words("""
    accuracy acc accnorm accuracynorm top1 top5 top1accuracy top5accuracy exactmatch em
    quasiexactmatch prefixexactmatch correct iscorrect correctness passrate pass passed
    passat1 pass1 success successrate resolved resolverate resolvedrate solved solverate
    winrate hitrate
""")

HIGHER = PROPORTIONS | split_words("""
    score balancedaccuracy f1 f1score macrof1 microf1 weightedf1 f1macro f1micro fbeta f05
    f2 precision recall sensitivity specificity hit hits auc auroc rocauc auprc prauc aucpr
    averageprecision ap map gini mcc mccscore matthewscorrelation matthewscorrcoef kappa
    cohenkappa qwk bleu sacrebleu chrf rouge rouge1 rouge2 rougel rougelsum meteor bertscore
    bleurt comet ndcg mrr dcg spearman spearmanr pearson pearsonr correlation cosinespearman
    cosinepearson kendall kendalltau r2 r2score explainedvariance vmeasure nmi ami ari
    adjustedrandindex silhouette iou miou dice dsc nsd jaccard psnr ssim elo reward returns
    throughput utility preference maxaccuracy loglikelihood
    fmeasure fscore areaunderroc areaunderroccurve areaunderprc roc rocarea prcarea percentcorrect
    kappastatistic correlationcoefficient rsquared rsq informationscore
""")


# In seconds, in money or in tokens: their unit is the same on every data set.
SPENT = split_words("""
    latency runtime time duration seconds cost price tokens usercputime buildcputime elapsedtime
""")

# In a unit: of the target, where the mean over different data sets means nothing, or as above.
SCALED = SPENT | split_words("""
    loss logloss nll negativeloglikelihood negloglikelihood crossentropy loglikelihood
    perplexity wordperplexity byteperplexity ppl bitsperbyte bpb bitspercharacter bpc rmse mse
    mae msle rmsle medae meanabsoluteerror meansquarederror rootmeansquarederror squarederror
    absoluteerror metricerror crps wql quantileloss pinballloss deviance regret distance reward
    returns throughput utility elo psnr hd hausdorff assd asd chamfer emd epe aepe ade minade
    fde minfde mpjpe pampjpe mpvpe pve levenshtein wasserstein volumedifference
""")


# What an answer is praised for.
VIRTUES = split_words("""
    faithfulness relevance relevancy helpfulness harmlessness honesty truthfulness coherence fluency
    adequacy naturalness grammaticality readability intelligibility conciseness completeness clarity
    groundedness factuality informativeness instructionfollowing
""")

# What judges and tools grade an answer for, beside metrics whose better side is known.
CRITERIA = VIRTUES | split_words("""
    answerrelevance answerrelevancy contextprecision contextrecall contextrelevance
    contextrelevancy contextentityrecall answercorrectness answersimilarity semanticsimilarity
    similarity consistency factualcorrectness style tone safety quality overallquality depth
    creativity bias hallucination noisesensitivity rubric rating grade
""")


PLAIN = split_words("""
    score scores scored result results value values point points reward rewards mark marks grade
    grades rating ratings rated answer outcome verdict judgement judgment label quality likert
    stars vote votes performance perf metric eval evaluation agreement share ok good valid right
    true yes correct match matched matches exact acceptable accepted preferred
    human humans judge rater annotator grader
""")


# Names of metrics that name nothing else, where they begin or end the name of a task.
TELLING = split_words("""
    accuracy acc accnorm exactmatch em f1 f1score macrof1 microf1 rouge rouge1 rouge2 rougel
    rougelsum bleu sacrebleu chrf meteor bertscore ndcg mrr recall precision auc auroc rocauc
    auprc prauc rmse mse mae mape smape mase wql crps logloss nll perplexity ppl bpb wer cer
    spearman spearmanr pearson pearsonr kendall mcc
""")
