"""Every module with handlers of events, imported so that they are registered."""

# ruff: noqa: F401
from curator.web.components import endpoint_trial, events
from curator.web.pages.check import events as check
from curator.web.pages.judge import events as judge
from curator.web.pages.judge.proposals import proposals_dialog, request_form
from curator.web.pages.releases import events as releases
from curator.web.pages.results.compare import page_state as results
from curator.web.pages.settings import settings_form
