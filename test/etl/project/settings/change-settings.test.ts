import { expect, test } from 'vitest';
import {
  type ChangeName,
  ChangeSettings,
  changeRules,
} from '../../../../src/etl/project/settings/change-settings.ts';

const ruleOf = (settings: unknown, change: ChangeName) =>
  changeRules(ChangeSettings.parse(settings)).map((rules) => rules.find((one) => one.change === change));

test('each kind of change has default thresholds', () => {
  expect(ruleOf({}, 'noindex')).toEqual([{ change: 'noindex', isOn: true, least: 5, percent: 1, days: 28 }]);
  expect(ruleOf({}, 'title')).toMatchObject([{ least: 5, percent: 50 }]);
  expect(ruleOf({}, 'clicks')).toMatchObject([{ least: 50, percent: 20 }]);
  expect(ruleOf({}, 'robots_txt')).toMatchObject([{ isOn: true, least: 1, percent: 0 }]);
});

test('a project overrides single thresholds, the others are inherited', () => {
  const settings = {
    days: 7,
    errors: { pages: 20 },
    clicks: false,
    projects: { Shop: { errors: { percent: 3 }, clicks: true, templates: false }, Blog: { days: 90 } },
  };
  expect(ruleOf(settings, 'server_error')).toMatchObject([
    { least: 20, percent: 1, days: 7 },
    { least: 20, percent: 3, days: 7 },
    { least: 20, percent: 1, days: 90 },
  ]);
  expect(ruleOf(settings, 'clicks')).toMatchObject([
    { isOn: false },
    { isOn: true, least: 50 },
    { isOn: false },
  ]);
  expect(ruleOf(settings, 'canonical')).toMatchObject([{ isOn: true }, { isOn: false }, { isOn: true }]);
});

test('an unknown key is refused', () => {
  expect(() => ChangeSettings.parse({ noindex: false })).toThrow(/noindex/);
  expect(() => ChangeSettings.parse({ errors: { clicks: 5 } })).toThrow();
});
