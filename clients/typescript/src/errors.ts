// Errors. A run that fails throws a RunError; anything else is a failure of the connection.

import type { Outcome } from './sandbox.js';

/** Base of every error of this package. */
export class CofferdamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The program cofferdam cannot be found. */
export class ProgramNotFound extends CofferdamError {}

/** The program ended, or the connection was closed. */
export class ConnectionLost extends CofferdamError {}

/** The program refused a request; the message begins with the parameter that is wrong. */
export class RpcError extends CofferdamError {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A run failed. The outcome has its output. */
export class RunError extends CofferdamError {
  readonly code: string;
  /** Name of the error that the tool threw. */
  readonly thrown: string;
  /** Stack of the tool, not of this process. */
  readonly toolStack: string;

  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message ?? '');
    this.code = outcome.error?.code ?? '';
    this.thrown = outcome.error?.name ?? '';
    this.toolStack = outcome.error?.stack ?? '';
  }
}

/** The tool threw or could not be parsed. */
export class ExecutionError extends RunError {}

/** The run reached its time limit. */
export class TimeLimit extends RunError {}

/** The run was cancelled. */
export class Cancelled extends RunError {}

/** The run reached a limit other than time. */
export class LimitExceeded extends RunError {
  readonly limit = this.outcome.error?.limit ?? '';
}

/** The run was denied a capability and failed because of it. */
export class PermissionDenied extends RunError {
  readonly requiredPermission = this.outcome.error?.requiredPermission ?? '';
  readonly requestId = this.outcome.error?.requestId ?? '';
  readonly attemptedAction = this.outcome.error?.attemptedAction ?? '';
}

const CLASSES: Record<string, new (outcome: Outcome) => RunError> = {
  EXECUTION_ERROR: ExecutionError,
  TIMEOUT: TimeLimit,
  CANCELLED: Cancelled,
  LIMIT_EXCEEDED: LimitExceeded,
  CAPABILITY_DENIED: PermissionDenied,
};

/** Throws the error of a run that failed; returns the outcome of one that did not. */
export function check(outcome: Outcome): Outcome {
  if (outcome.errorClass === null) return outcome;
  throw new (CLASSES[outcome.errorClass] ?? ExecutionError)(outcome);
}

/** A denial that a native program wrote to standard error. */
export interface Denial {
  code: string;
  requiredPermission: string;
  attemptedAction: string;
  requestId: string;
  message: string;
}

/** Returns the last denial that a native program wrote to standard error, or null. */
export function extractPermissionError(stderr: string): Denial | null {
  for (const line of stderr.split('\n').reverse()) {
    if (!line.startsWith('{"code":"PERMISSION_DENIED"')) continue;
    try {
      const found = JSON.parse(line) as Denial;
      if (found.requiredPermission && found.requestId) return found;
    } catch {
      // A line that only looks like one.
    }
  }
  return null;
}
