import { type ReactNode, useRef, useState } from 'react'
import { type Messages, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Drawer } from '@/ui/drawer'
import { type FieldTexts, Labels } from '../labels'
import { kitMessages } from '../messages'
import { FieldArea } from './field-area'
import { focusFirst } from './focus-first'
import type { FormHandle } from './use-form'
import { useLeaveQuestion } from './use-leave-question'
import type { Save } from './use-save'

interface FormDrawerProps<T extends object> {
  form: FormHandle<T>
  save: Save<T>
  title: string
  messages: Messages<FieldTexts>
  onClose: () => void
  children: ReactNode
}

/** The shell of every form: sends once, shows what the server refuses, asks before changes are lost, then closes. */
export function FormDrawer<T extends object>(props: FormDrawerProps<T>) {
  const m = useMessages(kitMessages)
  const { form, onClose } = props
  const { isBusy, submit } = useSubmit(form, props.save, onClose)
  const { leave, question } = useLeaveQuestion(form.isDirty)
  const fields = useRef<HTMLDivElement>(null)
  const close = () => !isBusy && leave(onClose)
  return (
    <Drawer
      open
      title={props.title}
      size={480}
      mask={{ closable: false }}
      onClose={close}
      afterOpenChange={(isOpen) => focusFirst(isOpen, fields)}
      footer={
        <div className="kit-footer">
          <Button disabled={isBusy} onClick={close}>
            {m.cancel}
          </Button>
          <Button type="primary" loading={isBusy} onClick={submit}>
            {m.save}
          </Button>
        </div>
      }
    >
      <Labels messages={props.messages}>
        <div ref={fields}>
          <FieldArea form={form} onSubmit={submit} disabled={isBusy}>
            {props.children}
          </FieldArea>
        </div>
      </Labels>
      {question}
    </Drawer>
  )
}

/** Sends a valid form, once at a time. */
export function useSubmit<T extends object>(form: FormHandle<T>, save: Save<T>, onSaved: () => void) {
  const [isBusy, setBusy] = useState(false)
  const locked = useRef(false)
  const send = async () => {
    // State comes too late to stop a second click in the same frame.
    if (locked.current) return
    locked.current = true
    try {
      if (!(await form.validate())) return
      setBusy(true)
      await save(form.values())
      onSaved()
    } catch (error) {
      form.showFailure(error)
    } finally {
      locked.current = false
      setBusy(false)
    }
  }
  return { isBusy, submit: () => void send() }
}
