import type { ReactNode } from 'react'
import { useMessages } from '@/i18n/messages'
import { Callout } from '@/ui/callout'
import { Form } from '@/ui/form'
import { kitMessages } from '../messages'
import type { FormHandle } from './use-form'

/** The place of fields: labels above them, Enter sends, and what the server said about the whole stands on top. */
export function FieldArea<T extends object>(props: {
  form: FormHandle<T>
  onSubmit: () => void
  disabled?: boolean
  children: ReactNode
}) {
  const m = useMessages(kitMessages)
  const { form } = props
  return (
    <Form
      form={form.instance}
      layout="vertical"
      requiredMark
      initialValues={form.defaults}
      disabled={props.disabled ?? false}
      validateTrigger={['onBlur']}
    >
      {form.failure && (
        <div className="kit-failure">
          <Callout tone="bad" title={m.notSaved}>
            {form.failure}
          </Callout>
        </div>
      )}
      {props.children}
      {/* The real button stands in the footer of the drawer, outside the form; Enter presses the one inside. The form
          itself does not send: it would ask the rules of all fields, also those of steps that nobody has seen yet. */}
      <button
        type="submit"
        hidden
        aria-hidden
        tabIndex={-1}
        onClick={(event) => {
          event.preventDefault()
          props.onSubmit()
        }}
      />
    </Form>
  )
}
