import { useEffect, useState } from 'react'
import { isApiFailure } from '@/api/failure'
import { useLanguage } from '@/i18n/language'
import { textsOf } from '@/i18n/messages'
import { Form, type FormInstance } from '@/ui/form'
import { kitMessages } from '../messages'

/** A form: its values, whether they differ from what it began with, and what the server refused. */
export interface FormHandle<T extends object> {
  instance: FormInstance<T>
  defaults: Partial<T>
  values: () => T
  isDirty: () => boolean
  /** Asks every rule, or those of some fields; the messages stand at their fields. */
  validate: (names?: readonly string[]) => Promise<boolean>
  /** Puts the server's messages at their fields; what belongs to no field is `failure`. */
  showFailure: (error: unknown) => void
  failure: string | undefined
}

/** Holds the state of a form. `defaultValues` is what it begins with, and what "unsaved" is measured against. */
export function useForm<T extends object>({ defaultValues }: { defaultValues: Partial<T> }): FormHandle<T> {
  const [instance] = Form.useForm<T>()
  const [failure, setFailure] = useState<string>()
  const [defaults] = useState(defaultValues)
  const language = useLanguage()

  // Messages at fields are texts of the moment they were found; a switch of language asks the rules again.
  useEffect(() => {
    const wrong = instance.getFieldsError?.().filter(({ errors }) => errors.length > 0) ?? []
    if (language && wrong.length > 0) instance.validateFields(wrong.map(({ name }) => name)).catch(() => undefined)
  }, [language, instance])

  return {
    instance,
    defaults,
    failure,
    values: () => instance.getFieldsValue(),
    isDirty: () => {
      const now = instance.getFieldsValue() as Record<string, unknown>
      return Object.keys(now).some((key) => !isSame(now[key], (defaults as Record<string, unknown>)[key]))
    },
    validate: async (names) => {
      setFailure(undefined)
      return instance.validateFields(names && [...names]).then(
        () => true,
        () => {
          scrollToFirst(instance)
          return false
        },
      )
    },
    showFailure: (error) => {
      const refusal = isApiFailure(error) ? error : undefined
      const known = new Set(Object.keys(instance.getFieldsValue() as object))
      // Secrets travel in a part of their own, and are fields like the others to a person.
      const errors = refusal?.errors.map((error) => ({ ...error, field: error.field.replace(/^secrets\./, '') })) ?? []
      const here = errors.filter(({ field }) => known.has(field))
      const elsewhere = errors.filter(({ field }) => !known.has(field))
      instance.setFields(
        here.map(({ field, message }) => ({ name: field, errors: [message] })) as Parameters<
          FormInstance<T>['setFields']
        >[0],
      )
      if (here.length > 0) scrollToFirst(instance)
      const rest = elsewhere.map(({ message }) => message).join('\n')
      setFailure(rest || (here.length > 0 ? undefined : (refusal?.msg ?? textsOf(kitMessages).network)))
    },
  }
}

function scrollToFirst(instance: FormInstance) {
  const first = instance.getFieldsError().find(({ errors }) => errors.length > 0)
  if (first) instance.scrollToField(first.name, { focus: true })
}

/** An emptied field and one that was never filled are the same to a person. */
function isSame(a: unknown, b: unknown): boolean {
  const plain = (value: unknown) => (value === '' || value === undefined ? null : value)
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b))
}
