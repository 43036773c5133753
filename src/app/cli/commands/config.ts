import { textTable } from '../../answers/presentation/text-table.ts';
import { explainSettings, type SettingOrigin } from '../../settings/load-settings.ts';
import type { Command } from '../command.ts';

export const config: Command = {
  name: 'config',
  summary: 'show each setting, its value and its origin; secrets are masked',
  flags: {},
  async run(invocation) {
    const origins = await explainSettings(invocation.projectDir(), process.env);
    if (invocation.has('json'))
      await invocation.printJson({
        settings: origins.map((origin) => ({ ...origin, value: origin.value ?? null })),
      });
    else
      await invocation.print(
        textTable(
          ['setting', 'value', 'from'],
          origins.map((origin) => [origin.key, shown(origin.value), placeOf(origin)]),
        ),
      );
    return 0;
  },
};

/** Returns the variable's name, with `.env` if it is defined there; file and line; or `default`. */
function placeOf({ from, place }: SettingOrigin): string | null {
  return from === '.env' ? `.env: ${place}` : (place ?? from);
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
