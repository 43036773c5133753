/**
 * Returns whether a string is the name of a time zone. An offset such as +01:00 is not, because it has no daylight
 * saving.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // No such zone: the schema reports it.
    return false;
  }
}
