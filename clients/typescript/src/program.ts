// Finds the program that the client starts.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

import { ProgramNotFound } from './errors.js';

/** Returns the path of the program: of the platform's package, on PATH, or in COFFERDAM_PROGRAM. */
export function findProgram(): string {
  try {
    const platform = `@cofferdam/${process.platform}-${process.arch}`;
    return createRequire(import.meta.url).resolve(`${platform}/bin/cofferdam`);
  } catch {
    // The package of the platform is optional.
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = folders.map((folder) => join(folder, 'cofferdam')).find((path) => existsSync(path));
  const program = found ?? process.env['COFFERDAM_PROGRAM'];
  if (program) return program;
  throw new ProgramNotFound(
    'the program cofferdam is neither in a package of this platform nor on PATH; ' +
      'set COFFERDAM_PROGRAM to its path',
  );
}
