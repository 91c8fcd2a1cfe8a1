// Definitions of tools for language models, as plain objects. No package of a vendor is needed.

import { PermissionDenied, RunError, check } from './errors.js';
import type { Sandbox } from './sandbox.js';

export type Format = 'openai' | 'anthropic';

/** A tool or lent function, as `Sandbox.functions()` lists it. */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters?: unknown;
}

const TOOLS: ToolDefinition[] = [
  {
    name: 'run_javascript',
    description:
      'Runs the body of an async JavaScript function in a sandbox without network or files of ' +
      'the host. Use return for the result; it is JSON.',
    parameters: {
      type: 'object',
      properties: { code: { type: 'string', description: 'body of the function' } },
      required: ['code'],
      additionalProperties: false,
    },
  },
  {
    name: 'run_shell',
    description: 'Runs a bash command in the same sandbox. Files stay between calls.',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
      additionalProperties: false,
    },
  },
];

/** Returns the tools that offer a sandbox to a model, in the format of a vendor. */
export function definitions(format: Format): Array<Record<string, unknown>> {
  return TOOLS.map((tool) => definition(tool, format));
}

/** Converts one tool to the format of a vendor. */
export function definition(tool: ToolDefinition, format: Format): Record<string, unknown> {
  const { name, description = '' } = tool;
  const parameters = tool.parameters ?? { type: 'object', properties: {} };
  return format === 'anthropic'
    ? { name, description, input_schema: parameters }
    : { type: 'function', function: { name, description, parameters } };
}

/**
 * Carries out a call of a model and returns text for it, also if the run failed. A denial names the
 * capability, so that the model can say what it lacks; only a person grants.
 */
export async function call(
  sandbox: Sandbox,
  name: string,
  given: string | Record<string, unknown>,
): Promise<string> {
  const args = (typeof given === 'string' ? JSON.parse(given) : given) as Record<string, unknown>;
  try {
    switch (name) {
      case 'run_javascript':
        return JSON.stringify(await sandbox.run(String(args['code'])));
      case 'run_shell': {
        const outcome = check(await sandbox.shell(String(args['command'])));
        const ended = outcome.exitCode === 0 ? '' : `\n[exit code ${outcome.exitCode}]`;
        return outcome.stdout + outcome.stderr + ended;
      }
      default:
        return `error: there is no tool ${JSON.stringify(name)}`;
    }
  } catch (error) {
    if (error instanceof PermissionDenied) {
      const { thrown, message, requiredPermission, requestId } = error;
      return `error: ${thrown}: ${message}\nneeds ${requiredPermission}, which a person can grant as ${requestId}`;
    }
    if (error instanceof RunError) return `error: ${error.thrown}: ${error.message}`;
    throw error;
  }
}
