"""English words that the answer-key check passes over.

Provenance: written for this project from the closed word classes of English
(articles, pronouns, prepositions, conjunctions, auxiliaries, a few adverbs), and not
copied from a published list, though most of it stands in NLTK's and SMART's as well.

One deliberate difference from those: words that turn an answer round are left out.
These are negations (no, nor, not, contractions with n't), opposites (up and down,
before and after, above and below, over and under, with and without, on and off) as
far as they are not among the commonest prepositions, and quantities (all, both, few,
more, most). "Not soluble" is no correct answer where the key says "soluble".
"""

_WORDS = """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself
    they them their theirs themselves
    this that these those who whom whose which what when where why how
    am is are was were be been being have has had having do does did doing
    will would shall should can could might must ought
    i'm you're he's she's it's we're they're i've you've we've they've
    i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll it'll we'll they'll
    that's there's here's what's who's where's how's let's
    and or but if because as while although though since whether than so
    of at by for with about between among in into on onto through during to from
    toward towards within upon per via
    again further then once here there
    other others some such own same every
    too very just also quite rather
"""

STOP_WORDS = frozenset(_WORDS.split())
