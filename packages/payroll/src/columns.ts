import { isAddressText } from '@payouts/client/browser';
import { styleOf } from './amount.ts';
import { withoutCurrency } from './currency.ts';
import { type PayrollColumn, PayrollError, type PayrollProblem } from './problems.ts';
import { columnName, columnPlace, type Row, withoutEmptyEnd } from './table.ts';

/** A column of a file, and what it is taken for. */
export type TakenColumn = { readonly column: PayrollColumn; readonly place: number; readonly header: string };

/** What becomes of a file's columns. */
export type TakenColumns = {
  readonly taken: readonly TakenColumn[];
  /** Those that are nobody's: neither taken nor known to be the employer's own. */
  readonly unread: readonly { readonly place: number; readonly header: string }[];
};

/** Headers of columns, or their letters, by what they are to be taken for. */
export type ColumnMap = Readonly<Partial<Record<PayrollColumn, string>>>;

export const PAYROLL_COLUMNS: readonly PayrollColumn[] = ['recipient', 'amount', 'delivery', 'name', 'label'];
/** What the employer calls people and says of them, for their own eyes. */
export const NAME_COLUMNS: readonly PayrollColumn[] = ['recipient', 'name', 'label', 'note'];

const listOf = (words: string): readonly string[] =>
  words
    .trim()
    .split(/\s*,\s*/)
    .map(normalised);

/** Where the money goes. */
const ADDRESSES = listOf(`
  wallet, address, wallet address, solana address, solana wallet, public key, pubkey, account, payout address, payment address,
  recipient address, recipient wallet, payee address, payee wallet, employee address, employee wallet, destination,
  Adresse, Wallet-Adresse, Walletadresse, Solana-Adresse, Empfängeradresse, Zahladresse, Konto,
  portefeuille, adresse Solana, adresse du portefeuille, adresse de paiement, compte`);
/** Who gets it: an address, or a name beside one. */
const PEOPLE = listOf(`
  recipient, payee, employee, beneficiary, contractor, worker, member, freelancer, Empfänger, Mitarbeiter, Mitarbeiterin,
  Begünstigter, Zahlungsempfänger, bénéficiaire, destinataire, salarié, employé, collaborateur`);
const AMOUNTS = listOf(`
  amount, net, net amount, net pay, net salary, net wage, net wages, pay, salary, wage, wages, payment, payout, payout amount,
  payment amount, take home pay, Betrag, Netto, Nettobetrag, Nettolohn, Nettogehalt, Gehalt, Lohn, Auszahlung,
  Auszahlungsbetrag, Zahlbetrag, Überweisungsbetrag, montant, montant net, net à payer, salaire, salaire net, paie, rémunération`);
const NAMES = listOf(`
  name, full name, label, person, employee name, recipient name, payee name, beneficiary name, display name,
  vollständiger Name, Mitarbeitername, Empfängername, nom, nom complet, nom du salarié, nom du bénéficiaire, libellé`);
const DELIVERIES = listOf('delivery');
const TOKENS = listOf('token, mint, coin, asset, paid in');
const CURRENCIES = listOf('currency, salary currency, Währung, devise, monnaie');
/** What the employer sorts people by. */
const LABELS = listOf(
  'label, labels, department, team, cost center, Abteilung, Kostenstelle, libellé, service, équipe',
);
const NOTES = listOf('note, notes, comment, comments, Notiz, Bemerkung, Kommentar, commentaire, remarque');
/** The employer's own: they are neither read nor asked about. */
const OWN = listOf(`
  reference, note, notes, email, e-mail, comment, comments, memo, id, employee id, Referenz, Verwendungszweck, Notiz, Bemerkung,
  Kommentar, Personalnummer, référence, commentaire, remarque, matricule, courriel`);

/** Every word for a column that is known, as `normalised` writes it. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set(
  [ADDRESSES, PEOPLE, AMOUNTS, NAMES, DELIVERIES, TOKENS, CURRENCIES, LABELS, NOTES, OWN].flat(),
);

/** A header without case, accents, punctuation, currency and what is in brackets: "Net pay (USDC)" is "net pay". */
export function normalised(header: string): string {
  return withoutCurrency(header.replace(/\([^)]*\)|\[[^\]]*\]/g, ' '))
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The columns that are taken for something. */
type Places = Partial<Record<PayrollColumn, number>>;

/**
 * Finds out which of the columns that are `wanted` is what: by `map`, then by their headers. Where headers name several for the recipient, the one that has
 * addresses in the rows of `sample` is it. What stays open is asked, and `needed` columns that are missing. Throws `PayrollError`.
 */
export function takeColumns(
  header: Row,
  sample: readonly Row[],
  needed: readonly PayrollColumn[],
  map: ColumnMap = {},
  wanted = PAYROLL_COLUMNS,
): TakenColumns {
  const chosen = new Choice(header, wanted, needed, map);
  chosen.take('recipient', withAddresses(chosen.placesOf([...ADDRESSES, ...PEOPLE]), sample));
  chosen.take('amount', chosen.placesOf(AMOUNTS));
  chosen.take('delivery', chosen.placesOf(DELIVERIES));
  chosen.take('token', chosen.placesOf(TOKENS));
  chosen.take('currency', chosen.placesOf(CURRENCIES));
  chosen.take('label', chosen.placesOf(LABELS).slice(0, 1));
  chosen.take('note', chosen.placesOf(NOTES).slice(0, 1));
  // A name is for the eye alone, so the first one will do.
  const names = [NAMES.slice(0, 1), NAMES, PEOPLE].flatMap((words) => chosen.placesOf(words));
  chosen.take('name', names.slice(0, 1));
  return chosen.result();
}

/** Of several places the one whose cells are addresses, if there is one. */
function withAddresses(places: readonly number[], sample: readonly Row[]): readonly number[] {
  if (places.length < 2) return places;
  const filled = places.filter((place) => {
    const cells = sample.map((row) => (row.cells[place] ?? '').trim()).filter((cell) => cell !== '');
    return cells.length > 0 && cells.every(isAddressText);
  });
  return filled.length === 0 ? places : filled;
}

class Choice {
  readonly #headers: readonly string[];
  readonly #line: number;
  readonly #wanted: readonly PayrollColumn[];
  readonly #needed: readonly PayrollColumn[];
  readonly #places: Places = {};
  readonly #problems: PayrollProblem[] = [];

  constructor(
    { line, cells }: Row,
    wanted: readonly PayrollColumn[],
    needed: readonly PayrollColumn[],
    map: ColumnMap,
  ) {
    this.#headers = withoutEmptyEnd(cells, 0).map((header) => header.trim());
    this.#line = line;
    this.#wanted = wanted;
    this.#needed = needed;
    for (const column of wanted) {
      const named = map[column];
      if (named !== undefined) this.#takeNamed(column, named.trim());
    }
  }

  /** Places of columns that nothing is taken for yet and whose header is one of these words. */
  placesOf(words: readonly string[]): number[] {
    return this.#free().filter((place) => words.includes(normalised(this.#headers[place] as string)));
  }

  take(column: PayrollColumn, places: readonly number[]): void {
    if (!this.#wanted.includes(column) || this.#places[column] !== undefined || this.#isWrong(column)) return;
    const [place, ...others] = places;
    if (place !== undefined && others.length === 0) this.#places[column] = place;
    else if (place !== undefined) {
      this.#ask('column-unclear', column, `Several columns may be the ${column}. Say which one is.`, places);
    } else if (this.#needed.includes(column)) {
      const message = `No column is named ${column}, or has another word for it. Name it in the first line, or say which column it is.`;
      this.#ask('column-missing', column, message, this.#free());
    }
  }

  /** Throws `PayrollError` with what stayed open. */
  result(): TakenColumns {
    if (this.#problems.length > 0) throw new PayrollError(this.#problems);
    const taken = this.#wanted.flatMap((column) => {
      const place = this.#places[column];
      return place === undefined ? [] : [{ column, place, header: this.#headers[place] as string }];
    });
    const unread = this.#free()
      .map((place) => ({ place, header: this.#headers[place] as string }))
      .filter(({ header }) => header !== '' && ![...OWN, ...LABELS].includes(normalised(header)));
    return { taken, unread };
  }

  #takeNamed(column: PayrollColumn, named: string): void {
    const isNamed = (header: string) => header.toLowerCase() === named.toLowerCase();
    const places = [...this.#headers.keys()].filter((place) => isNamed(this.#headers[place] as string));
    const letters = named.toUpperCase();
    if (places.length === 0 && /^[A-Z]{1,2}$/.test(letters) && columnPlace(letters) < this.#headers.length) {
      places.push(columnPlace(letters));
    }
    const [place] = places;
    if (place === undefined) {
      this.#ask('column-unknown', column, `No column has the name that is given for the ${column}.`, this.#free());
    } else if (places.length > 1) {
      this.#ask('column-unclear', column, `Several columns have the name that is given for the ${column}.`, places);
    } else if (Object.values(this.#places).includes(place)) {
      this.#ask(
        'column-unclear',
        column,
        `The column given for the ${column} is given for something else, too.`,
        this.#free(),
      );
    } else this.#places[column] = place;
  }

  #isWrong = (column: PayrollColumn): boolean =>
    this.#problems.some(({ question }) => question?.option === 'map' && question.column === column);

  #free(): number[] {
    const taken = Object.values(this.#places);
    return [...this.#headers.keys()].filter((place) => !taken.includes(place));
  }

  #ask(code: PayrollProblem['code'], column: PayrollColumn, message: string, places: readonly number[]): void {
    const choices = places.flatMap((place) => this.#nameOf(place));
    const question = { option: 'map', column, choices } as const;
    this.#problems.push({ code, line: this.#line, message, question });
  }

  /** By what a column can be given; nothing for what is a value, since a file without headers has a recipient in its first line. */
  #nameOf(place: number): string[] {
    const header = this.#headers[place] as string;
    if (header === '' || isAddressText(header) || isAmount(header)) return [];
    const isOnly = this.#headers.filter((each) => each.toLowerCase() === header.toLowerCase()).length === 1;
    return [isOnly ? header : columnName(place)];
  }
}

const isAmount = (text: string): boolean => /^\d+$/.test(text) || styleOf(text) !== 'none';
