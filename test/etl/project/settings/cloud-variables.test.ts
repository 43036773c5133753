import { expect, test } from 'vitest';
import { cloudVariables } from '../../../../src/etl/project/settings/command-environment.ts';

const FOLDER = '/project';

test('cloud variables come from .env if the environment lacks them; other variables stay there', () => {
  const given = { AWS_REGION: 'eu-west-1', GOOGLE_CLOUD_PROJECT: 'p', PGPASSWORD: 'secret' };
  const dotEnv = { ...given, NODE_OPTIONS: '--x', PATH: '/x', PGHOST: 'db' };
  expect(cloudVariables(dotEnv, { AWS_REGION: '' }, FOLDER)).toEqual(given);
  const { AWS_REGION: _, ...others } = given;
  expect(cloudVariables(dotEnv, { AWS_REGION: 'us-east-1' }, FOLDER)).toEqual(others);
});

test('keys of two accounts are not mixed: if the environment has any key or profile, .env adds none', () => {
  const dotEnv = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
  expect(cloudVariables(dotEnv, {}, FOLDER)).toEqual(dotEnv);
  expect(cloudVariables(dotEnv, { AWS_PROFILE: 'work' }, FOLDER)).toEqual({});
  expect(cloudVariables(dotEnv, { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' }, FOLDER)).toEqual({});
});

test('a relative path in .env is relative to the project folder', () => {
  const paths = { GOOGLE_APPLICATION_CREDENTIALS: 'keys/google.json', AWS_CONFIG_FILE: '/etc/aws' };
  expect(cloudVariables(paths, {}, FOLDER)).toEqual({
    GOOGLE_APPLICATION_CREDENTIALS: '/project/keys/google.json',
    AWS_CONFIG_FILE: '/etc/aws',
  });
});
