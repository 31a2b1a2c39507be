"""The part of LiteLLM's guardrail that checks requests, before or during the call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anyio import to_thread
from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail

from streamguard.core.model.policy import Policy
from streamguard.integrations.options import KEY
from streamguard.integrations.request_texts import CheckedRequest, checked_request
from streamguard.tap import logger


class RequestGuardrail(CustomGuardrail):
    """Applies the packs of `policy` to the texts of requests."""

    policy: Policy

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Return the masked request; raises an error that LiteLLM turns into status 400."""
        checked = await self._checked(data)
        if checked is None:
            return data
        if checked.masked:
            data.update(checked.request)
        return data

    async def async_moderation_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, call_type: str
    ) -> dict[str, Any]:
        """Reject the request if the policy stops it; masking would come too late."""
        await self._checked(data, masks=False)
        return data

    async def _checked(self, data: dict[str, Any], *, masks: bool = True) -> CheckedRequest | None:
        """Return the findings in a request, None if it could not be checked and may go on."""
        try:
            checked = await to_thread.run_sync(checked_request, data, self.policy)
        except Exception as exc:
            logger.exception("the request could not be checked")
            if self.policy.hold_fails == "open":
                return None
            raise self.refused("the request could not be checked", 500) from exc
        if not masks:
            checked = replace(checked, masked=False)
        if checked.noticed:
            self._note(checked, data)
        if checked.rejected:
            raise self.refused(checked.reason, 400)
        return checked

    def _note(self, checked: CheckedRequest, data: dict[str, Any]) -> None:
        acted = checked.rejected or checked.masked
        self.add_standard_logging_guardrail_information_to_request_data(
            guardrail_json_response=checked.to_dict(),
            request_data=data,
            guardrail_status="guardrail_intervened" if acted else "guardrail_flagged",
            guardrail_provider=KEY,
        )

    def refused(self, message: str, status: int) -> GuardrailRaisedException:
        """Return an error that LiteLLM turns into this message and status."""
        return GuardrailRaisedException(
            guardrail_name=self.guardrail_name,
            message=message,
            should_wrap_with_default_message=False,
            status_code=status,
            blocked_content=status == 400,
        )
