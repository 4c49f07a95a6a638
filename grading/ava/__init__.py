"""AVA: a model says whether an answer is right, given the question and a reference.

Source: Vu & Moschitti 2020, "AVA: an Automatic eValuation Approach to Question
Answering Systems".
"""
