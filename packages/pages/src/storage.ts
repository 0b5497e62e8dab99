const nameOf = (choice: string): string => `payouts.${choice}`;

/** What the reader chose on this machine; null: nothing, or storage is closed to this page. */
export function storedChoice(choice: string): string | null {
  try {
    return localStorage.getItem(nameOf(choice));
  } catch {
    return null;
  }
}

/** Keeps what the reader chose; null forgets it. Where storage is closed to this page, it lasts until a reload. */
export function storeChoice(choice: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(nameOf(choice));
    else localStorage.setItem(nameOf(choice), value);
  } catch {
    // Closed, as in some private windows.
  }
}
