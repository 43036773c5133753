import type { SignedIn } from '../access/session.ts';
import type { Refused } from './refuse.ts';

/** Why a person may not change anything here; null: they may. */
export function actingRefusal({ role }: SignedIn, isOn: boolean): Refused | null {
  if (isOn && role === 'operator') return null;
  return {
    status: 403,
    code: 'forbidden',
    title: 'Refused',
    message: isOn ? 'Only operators start anything here.' : 'This console only reads.',
    hint: isOn ? 'console_oidc.operators names them' : 'set console_actions: true, and start it again',
  };
}
