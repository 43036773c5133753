import { createContext, Script } from 'node:vm';

const SCRIPT = new Script('new RegExp(pattern).test(text)');

/**
 * Whether a regular expression matches a text, within a time: one that backtracks, such as `(a+)+$`, would hold up the
 * whole process for as long as it likes. Undefined where the time was not enough.
 */
export function matchesInTime(pattern: string, text: string, timeoutMs: number): boolean | undefined {
  try {
    return SCRIPT.runInContext(createContext({ pattern, text }), { timeout: timeoutMs }) === true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
