import { textTable } from '../../../core/text/text-table.ts';
import { type Dialogue, Questions } from '../questions.ts';

/** What a command understood of a file before it stores anything. */
export interface Understood {
  /** The file, as people know it. */
  readonly name: string;
  readonly facts: readonly UnderstoodFact[];
}

interface UnderstoodFact {
  /** Such as `format` or `time zone`. */
  readonly name: string;
  readonly value: string;
  /** Nothing in the file proves it. */
  readonly isGuess?: boolean;
}

/** One screen: each file with what it means. */
export function describeUnderstood(files: readonly Understood[]): string {
  return files
    .map(({ name, facts }) => {
      const rows = facts.map((fact) => [fact.name, fact.isGuess ? `${fact.value} (a guess)` : fact.value]);
      return textTable([name, ''], rows);
    })
    .join('\n');
}

export function hasGuess(files: readonly Understood[]): boolean {
  return files.some(({ facts }) => facts.some(({ isGuess }) => isGuess));
}

/** Whether a person says yes; true where nobody can be asked. */
export async function isAgreed(
  person: Dialogue | null,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (person === null) return true;
  using questions = new Questions(person, signal);
  return /^y(?:es)?$/i.test(await questions.ask(`${question} yes or no (no)`));
}
