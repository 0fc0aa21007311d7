// Handles a control request of the input and returns the response.
import type { Agent } from '../../agent/contract/agent.ts';
import { isPermissionMode } from '../../agent/contract/permission-mode.ts';
import { UserError } from '../../base/errors/errors.ts';
import { asString, type JsonObject } from '../../base/json/json.ts';
import type { ControlRequest } from './message-input.ts';

export async function answerControl(request: ControlRequest, agent: Agent): Promise<JsonObject> {
  const outcome = await handleRequest(request, agent);
  const response =
    'problem' in outcome
      ? { subtype: 'error', request_id: request.id, error: outcome.problem }
      : { subtype: 'success', request_id: request.id, response: outcome };
  return { type: 'control_response', response };
}

async function handleRequest({ subtype, body }: ControlRequest, agent: Agent): Promise<JsonObject> {
  switch (subtype) {
    case 'initialize':
      return { commands: agent.state.commands.map(({ name, description }) => ({ name, description })) };
    case 'interrupt':
      agent.interrupt();
      return {};
    case 'set_permission_mode':
      if (!isPermissionMode(body.mode)) return { problem: 'unknown permission mode' };
      await agent.setMode(body.mode);
      return { mode: body.mode };
    case 'set_model': {
      const model = asString(body.model);
      if (model === undefined || model.trim() === '') return { problem: 'no model given' };
      try {
        agent.setModel(model);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return { problem: error.message };
      }
      return {};
    }
    default:
      return {
        problem: `"${subtype}" is not supported; choose initialize, interrupt, set_permission_mode, set_model`,
      };
  }
}
