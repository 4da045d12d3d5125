import { useLanguage } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { NumberField } from '../form/fields'

/** The numbers of a settings document, as the server describes them. */
type Numbers = Readonly<Record<string, { readonly min: number; readonly max: number; readonly unit?: Pair }>>

interface NumberSettingsProps<N extends Numbers> {
  of: N
  /** Which of them; all, unless it is said. */
  names?: readonly (keyof N & string)[]
  hints?: { readonly [K in keyof N]?: string }
}

/** The fields of numbers in a settings document; limits and units are the server's. */
export function NumberSettings<N extends Numbers>({ of, names = Object.keys(of), hints = {} }: NumberSettingsProps<N>) {
  const language = useLanguage()
  return (
    <div className="kit-settings-fields">
      {names.map((name) => {
        const { min, max, unit } = of[name] as Numbers[string]
        return (
          <NumberField
            key={name}
            name={name}
            rules={[required, integerBetween(min, max)]}
            {...(unit && { unit: inLanguage(unit, language) })}
            {...(hints[name] && { hint: hints[name] })}
          />
        )
      })}
    </div>
  )
}
