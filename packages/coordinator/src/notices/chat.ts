import type { ChatFormat } from '../domain/notice.ts';

/** What Slack would read as a mention or a link: a token may call itself anything. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A text in the form that a chat's webhook takes. Nothing in it mentions anybody. */
export function chatBody(format: ChatFormat, text: string): string {
  if (format === 'slack') return JSON.stringify({ text: escaped(text) });
  if (format === 'discord') return JSON.stringify({ content: text, allowed_mentions: { parse: [] } });
  const content = {
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
  };
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  });
}
