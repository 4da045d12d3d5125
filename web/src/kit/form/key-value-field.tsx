import '../kit.css'
import { useMessages } from '@/i18n/messages'
import { atMost, uniqueKeys } from '@/rules/lists'
import { maxChars } from '@/rules/texts'
import { firstOf, type Rule } from '@/rules/violation'
import { Button } from '@/ui/button'
import { CloseIcon, PlusIcon } from '@/ui/icons'
import { TextInput } from '@/ui/input'
import { Field, type FieldInput, type FieldProps } from './field'
import { formMessages } from './form-messages'

export interface KeyValue {
  key: string
  value: string
}

interface KeyValueFieldProps extends FieldProps<readonly KeyValue[]> {
  /** The most pairs, and the most characters of a key and of a value. */
  most?: number
  length?: number
}

/** Keys with values, in the order in which they were typed. Every key is there once. */
export function KeyValueField({ most = 10, length = 40, rules = [], ...field }: KeyValueFieldProps) {
  const own: Rule<readonly KeyValue[]> = (pairs) =>
    firstOf(
      pairs,
      () => uniqueKeys(pairs.map(({ key }) => key)),
      () => firstWrong(pairs, maxChars(length)),
      () => atMost(most)(pairs.length),
    )
  return (
    <Field {...field} rules={[...rules, own]}>
      <KeyValueInput most={most} length={length} />
    </Field>
  )
}

function firstWrong(pairs: readonly KeyValue[], rule: Rule<string>) {
  for (const text of pairs.flatMap(({ key, value }) => [key, value])) {
    const wrong = rule(text)
    if (wrong) return wrong
  }
  return undefined
}

function KeyValueInput(props: FieldInput<readonly KeyValue[]> & { most: number; length: number }) {
  const m = useMessages(formMessages)
  const { most, length, value: pairs = [], onChange, onBlur } = props
  const isWrong = props['aria-invalid'] === true || props['aria-invalid'] === 'true'
  const change = (at: number, part: Partial<KeyValue>) =>
    onChange?.(pairs.map((pair, index) => (index === at ? { ...pair, ...part } : pair)))
  const isBadKey = (key: string) =>
    isWrong && (key.trim() === '' || pairs.filter((pair) => pair.key === key).length > 1)
  const common = { autoComplete: 'off', maxLength: length, ...(onBlur && { onBlur }) }
  return (
    <div className="kit-pairs">
      {pairs.map((pair, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has no name but its place while it is typed
        <div key={at} className="kit-pair">
          <TextInput
            {...common}
            {...(at === 0 && props.id && { id: props.id })}
            aria-label={m.pairKeyOf(at + 1)}
            aria-describedby={props['aria-describedby']}
            aria-invalid={isBadKey(pair.key)}
            status={isBadKey(pair.key) ? 'error' : ''}
            placeholder={m.pairKey}
            value={pair.key}
            onChange={({ target }) => change(at, { key: target.value })}
          />
          <TextInput
            {...common}
            aria-label={m.pairValueOf(at + 1)}
            placeholder={m.pairValue}
            value={pair.value}
            onChange={({ target }) => change(at, { value: target.value })}
          />
          <Button
            type="text"
            aria-label={m.pairRemove(at + 1)}
            icon={<CloseIcon aria-hidden />}
            onClick={() => onChange?.(pairs.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        {...(pairs.length === 0 && props.id && { id: props.id })}
        // The label of the field would be all that is said of it otherwise.
        aria-label={m.pairAdd(pairs.length, most)}
        type="dashed"
        icon={<PlusIcon aria-hidden />}
        // Absent, it follows the form around it.
        {...(pairs.length >= most && { disabled: true })}
        onClick={() => onChange?.([...pairs, { key: '', value: '' }])}
      >
        {m.pairAdd(pairs.length, most)}
      </Button>
    </div>
  )
}
