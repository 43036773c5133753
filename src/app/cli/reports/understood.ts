import { textTable } from '../../answers/presentation/text-table.ts';
import { type Dialogue, Questions } from '../dialogue.ts';

/** The meaning of a file, as a command understood it before storing anything. */
export interface Understood {
  /** The file's name for people. */
  readonly name: string;
  readonly facts: readonly UnderstoodFact[];
}

interface UnderstoodFact {
  /** Such as `format` or `time zone`. */
  readonly name: string;
  readonly value: string;
  /** Whether the value is a guess that nothing in the file proves. */
  readonly isGuess?: boolean;
}

/** Shows each file with its meaning, on one screen. */
export function describeUnderstood(files: readonly Understood[]): string {
  return files
    .map(({ name, facts }) => {
      const rows = facts.map((fact) => [fact.name, fact.isGuess ? `${fact.value} (a guess)` : fact.value]);
      return textTable([name, ''], rows);
    })
    .join('\n');
}

/** Returns a file with its meaning, as JSON. */
export function understoodDocument({ name, facts }: Understood) {
  return {
    name,
    facts: facts.map(({ name: fact, value, isGuess = false }) => ({ name: fact, value, is_guess: isGuess })),
  };
}

export function hasGuess(files: readonly Understood[]): boolean {
  return files.some(({ facts }) => facts.some(({ isGuess }) => isGuess));
}

/** Returns whether the user agrees; true if there is no terminal to ask on. */
export async function isAgreed(
  person: Dialogue | null,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (person === null) return true;
  using questions = new Questions(person, signal);
  return /^y(?:es)?$/i.test(await questions.ask(`${question} yes or no (no)`));
}
