type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
const fail = <E>(error: E): Result<never, E> => ({ ok: false, error });

interface User {
  id: number;
  email: string;
  roles?: string[];
}

class ValidationError extends Error {
  readonly issues: string[];
  constructor(issues: string[]) {
    super(`Validation failed: ${issues.join('; ')}`);
    this.name = 'ValidationError';
    this.issues = issues;
  }
}

function validate(input: unknown): Result<User, ValidationError> {
  const issues: string[] = [];
  if (typeof input !== 'object' || input === null) return fail(new ValidationError(['not an object']));
  const { id, email, roles } = input as Record<string, unknown>;
  if (!Number.isInteger(id)) issues.push(`id must be an integer, got ${typeof id}`);
  if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email)) issues.push(`email is invalid: ${JSON.stringify(email)}`);
  if (roles !== undefined && !Array.isArray(roles)) issues.push('roles must be an array');
  return issues.length ? fail(new ValidationError(issues)) : ok(input as User);
}

const inputs: unknown[] = [{ id: 1, email: 'a@b.c' }, { id: '1', email: 'nope' }, null, { id: 2, email: 'x@y', roles: 'admin' }];
for (const input of inputs) {
  const result = validate(input);
  console.log(result.ok ? `valid ${result.value.email}` : `${result.error}`);
}

function attempt<T>(run: () => T): Result<T> {
  try {
    return ok(run());
  } catch (error) {
    return fail(error instanceof Error ? error : new Error(String(error)));
  }
}
const results = [
  attempt(() => JSON.parse('[1,2') as number[]),
  attempt(() => (undefined as unknown as User).email),
  attempt(() => (({}) as any).foo.bar),
  attempt(() => (({ items: 1 }) as any).items.forEach(() => 1)),
  attempt(() => { throw 'a string'; }),
];
for (const r of results) console.log(r.ok ? r.value : r.error.message);
