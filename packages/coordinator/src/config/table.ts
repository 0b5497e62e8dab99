import { SETTING_NAMES, type Settings } from './settings.ts';

/** An address without its password and its query, where services carry their keys. */
function withoutSecrets(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  if (shown.search !== '') shown.search = '?***';
  return shown.toString();
}

/** The settings in use as lines of a table, every secret hidden. */
export function settingsTable(settings: Settings): string {
  const rows = (Object.keys(SETTING_NAMES) as (keyof Settings)[]).map((name) => {
    const value = settings[name];
    if (value === undefined) return [SETTING_NAMES[name], '(not set)'] as const;
    return [SETTING_NAMES[name], /Url$/.test(name) ? withoutSecrets(String(value)) : String(value)] as const;
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
