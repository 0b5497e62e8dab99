import { useResource } from '../../api/resource.ts';
import { DAYS, type DatesForm, IF_CLOSED, isCounted, LAST_BUSINESS_DAY, RULES, ZONES } from './dates.ts';
import { Choice, Count, Field } from './Fields.tsx';
import { ActionTrouble } from './Trouble.tsx';

type Props = {
  readonly dates: DatesForm;
  readonly onChange: (dates: DatesForm) => void;
  /** Whether they go on from others, which were counted from a day that has to be said. */
  readonly isFurther?: boolean;
};

/** Which dates a payroll is paid on: a rule, its time and zone, and what becomes of days on which nobody works. */
export function DatesFields({ dates, onChange, isFurther = false }: Props) {
  const { rule, on } = dates;
  const set = (part: Partial<DatesForm>) => onChange({ ...dates, ...part });
  return (
    <>
      <Field name="How often">
        <Choice
          options={RULES}
          value={rule}
          onChange={(chosen) => set({ rule: chosen as DatesForm['rule'], on: chosen === 'twice' ? '15' : '' })}
        />
      </Field>
      {isCounted(rule) && (
        <Count
          name={rule === 'weeks' ? 'Weeks between them' : 'Months between them'}
          most={999}
          value={dates.count}
          onChange={(count) => set({ count })}
        />
      )}
      {rule !== 'weeks' && (
        <Field name="On">
          <Choice options={rule === 'twice' ? SINGLE : DAYS} value={on} onChange={(day) => set({ on: day })} />
        </Field>
      )}
      {rule === 'twice' && (
        <Field name="And on">
          <Choice options={SINGLE} value={dates.also} onChange={(also) => set({ also })} />
        </Field>
      )}
      <Field name={isFurther ? 'The first pay runs were counted from' : 'Counted from (empty: today)'}>
        <input
          type="date"
          required={isFurther}
          value={dates.first}
          onInput={(event) => set({ first: event.currentTarget.value })}
        />
      </Field>
      <Field name="Time of day">
        <input type="time" required value={dates.at} onInput={(event) => set({ at: event.currentTarget.value })} />
      </Field>
      <Field name="Time zone">
        <Choice options={ZONE_OPTIONS} value={dates.zone} onChange={(zone) => set({ zone })} />
      </Field>
      <Holidays place={dates.holidays} onChange={(holidays) => set({ holidays })} />
      {on !== LAST_BUSINESS_DAY && (
        <Field name="Weekends and holidays">
          <Choice options={IF_CLOSED} value={dates.ifClosed} onChange={(ifClosed) => set({ ifClosed })} />
        </Field>
      )}
    </>
  );
}

/** Days of which a month may have two. */
const SINGLE = DAYS.filter(({ value }) => value !== '' && value !== LAST_BUSINESS_DAY);
const ZONE_OPTIONS = ZONES.map((zone) => ({ value: zone, name: zone.replaceAll('_', ' ') }));

type HolidaysProps = { readonly place: string; readonly onChange: (place: string) => void };

/** Whose public holidays are no pay days: a country's, or one of its states'. */
function Holidays({ place, onChange }: HolidaysProps) {
  // Loaded by whoever asks for dates: it knows the whole world.
  const countries = useResource(
    'countries with holidays',
    async () => (await import('@payouts/employer/payDays')).holidayCountries(),
    { concerns: () => false },
  );
  const known = countries.data ?? [];
  const [chosen = ''] = place.split('-');
  const states = known.find(({ code }) => code === chosen)?.states ?? [];
  return (
    <>
      {countries.error !== undefined && <ActionTrouble error={countries.error} />}
      <Field name="Public holidays">
        <Choice
          options={[NOBODYS, ...known.map(({ code, name }) => ({ value: code, name }))]}
          value={chosen}
          onChange={onChange}
        />
      </Field>
      {states.length > 0 && (
        <Field name="State or region">
          <Choice
            options={[
              { value: chosen, name: 'those of the whole country' },
              ...states.map(({ code, name }) => ({ value: `${chosen}-${code}`, name })),
            ]}
            value={place}
            onChange={onChange}
          />
        </Field>
      )}
    </>
  );
}

const NOBODYS = { value: '', name: 'none' };
