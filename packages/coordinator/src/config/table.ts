import { withoutSecrets } from './secrets.ts';
import type { Settings } from './specs.ts';
import { eachSetting, GROUPS, type SettingSpec } from './specs.ts';

const HIDDEN = '***';

function shown(value: unknown, { secret, isPublicKey }: SettingSpec): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '(not set)';
  if (secret === 'whole') return HIDDEN;
  if (isPublicKey) return String(value);
  return secret === 'url' && !URL.canParse(String(value)) ? HIDDEN : withoutSecrets(String(value));
}

/** The settings in use as lines of a table, every secret hidden. */
export function settingsTable(settings: Settings): string {
  const rows = eachSetting().map(([key, name, spec]) => [name, shown(settings[key], spec)] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function defaultOf(name: string, spec: SettingSpec): string {
  if (name === 'LOG_PRETTY' || !('default' in spec)) return '–';
  const { default: value, unit } = spec;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  return unit === undefined ? `\`${value}\`` : `\`${value}\` ${unit}`;
}

/** Every setting for the reference, as Markdown: a table for each group. */
export function settingsReference(): string {
  const settings = eachSetting();
  const tables = Object.entries(GROUPS).map(([group, title]) => {
    const rows = settings
      .filter(([, , spec]) => spec.group === group)
      .map(([, name, spec]) => {
        const meaning = `${spec.desc}${'default' in spec ? '' : ' **Required.**'}`;
        return `| \`${name}\` | ${defaultOf(name, spec)} | ${meaning} | ${spec.secret ? 'yes' : ''} |`;
      });
    return [`## ${title}`, '', '| setting | default | meaning | secret |', '|---|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
}
