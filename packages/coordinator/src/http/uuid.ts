export const UUID_PATTERN = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const UUID = new RegExp(UUID_PATTERN);

/** Whether a grant or a webhook can have this id. Routes ask before they look: what is no id is one that nobody has. */
export const isUuid = (text: string): boolean => UUID.test(text);
