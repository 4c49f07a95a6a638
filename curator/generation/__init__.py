"""Proposals of questions and key facts by an LLM: prompts and parsing of responses."""
