"""Questions and key facts that an LLM proposes: prompts, and reading its responses."""
