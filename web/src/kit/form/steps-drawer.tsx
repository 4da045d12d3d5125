import '../kit.css'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type Messages, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Drawer } from '@/ui/drawer'
import { type FieldTexts, Labels } from '../labels'
import { kitMessages } from '../messages'
import { FieldsContext } from './field'
import { FieldArea } from './field-area'
import { focusFirst } from './focus-first'
import { useSubmit } from './form-drawer'
import { formMessages } from './form-messages'
import type { FormHandle } from './use-form'
import { useLeaveQuestion } from './use-leave-question'
import type { Save } from './use-save'

/** One part of a long form. */
export interface Step {
  key: string
  title: string
  fields: ReactNode
}

interface StepsDrawerProps<T extends object> {
  form: FormHandle<T>
  save: Save<T>
  title: string
  messages: Messages<FieldTexts>
  steps: readonly Step[]
  onClose: () => void
}

/**
 * The shell of a form that is too long for one page. A step is left forwards when its fields are right. All steps stay
 * mounted, so that nothing is lost on the way back and the whole is sent at once.
 */
export function StepsDrawer<T extends object>(props: StepsDrawerProps<T>) {
  const k = useMessages(kitMessages)
  const m = useMessages(formMessages)
  const { form, steps, onClose } = props
  const { at, go, toWrong, hear, panels } = useSteps(form, steps)
  const whole: FormHandle<T> = {
    ...form,
    validate: async () => (await form.validate()) || toWrong(),
    showFailure: (error) => {
      form.showFailure(error)
      toWrong()
    },
  }
  const { isBusy, submit } = useSubmit(whole, props.save, onClose)
  const { leave, question } = useLeaveQuestion(form.isDirty)
  const close = () => !isBusy && leave(onClose)
  const isLast = at === steps.length - 1
  const forward = () => (isLast ? submit() : void go(at + 1))
  return (
    <Drawer
      open
      title={props.title}
      size={560}
      mask={{ closable: false }}
      onClose={close}
      afterOpenChange={(isOpen) => focusFirst(isOpen, { current: panels.current[0] ?? null })}
      footer={
        <div className="kit-footer">
          <Button disabled={isBusy} onClick={close}>
            {k.cancel}
          </Button>
          {at > 0 && (
            <Button disabled={isBusy} onClick={() => void go(at - 1)}>
              {m.back}
            </Button>
          )}
          <Button type="primary" loading={isBusy} onClick={forward}>
            {isLast ? k.save : m.next}
          </Button>
        </div>
      }
    >
      <ol className="kit-steps" aria-label={m.steps}>
        {steps.map(({ key, title }, index) => (
          <li key={key} data-state={index < at ? 'done' : index === at ? 'now' : 'later'}>
            <button
              type="button"
              aria-current={index === at ? 'step' : undefined}
              disabled={isBusy}
              onClick={() => void go(index)}
            >
              <span aria-hidden>{index + 1}</span>
              {title}
            </button>
          </li>
        ))}
      </ol>
      <Labels messages={props.messages}>
        <FieldArea form={form} onSubmit={forward} disabled={isBusy}>
          {steps.map(({ key, title, fields }, index) => (
            <section
              key={key}
              ref={(node) => {
                panels.current[index] = node
              }}
              className="kit-step"
              hidden={index !== at}
              tabIndex={-1}
              aria-label={`${m.stepOf(index + 1, steps.length)} ${title}`}
            >
              <FieldsContext value={hear(key)}>{fields}</FieldsContext>
            </section>
          ))}
        </FieldArea>
      </Labels>
      {question}
    </Drawer>
  )
}

/** Which step is shown, which fields each has, and how to move. */
function useSteps<T extends object>(form: FormHandle<T>, steps: readonly Step[]) {
  const [at, setAt] = useState(0)
  const panels = useRef<(HTMLElement | null)[]>([])
  const fields = useRef(new Map<string, Set<string>>())
  const namesOf = (index: number) => [...(fields.current.get(steps[index]?.key ?? '') ?? [])]

  const hear = useMemo(() => {
    const known = new Map<string, (name: string) => () => void>()
    return (key: string) => {
      const names = fields.current.get(key) ?? new Set()
      fields.current.set(key, names)
      const listen =
        known.get(key) ??
        ((name: string) => {
          names.add(name)
          return () => void names.delete(name)
        })
      known.set(key, listen)
      return listen
    }
  }, [])

  /** Back is free; forwards, every step on the way has to be right. */
  const go = async (to: number) => {
    for (let index = at; index < to; index += 1) {
      if (!(await form.validate(namesOf(index)))) return setAt(index)
    }
    setAt(to)
  }

  const { instance } = form
  const wrongNames = () =>
    instance
      .getFieldsError()
      .filter(({ errors }) => errors.length > 0)
      .map(({ name }) => String(name[0]))

  /** Shows the first step that has something to put right; never a reason to go on. */
  const toWrong = () => {
    const wrong = wrongNames()
    const index = steps.findIndex((_, each) => namesOf(each).some((name) => wrong.includes(name)))
    if (index >= 0) setAt(index)
    return false
  }

  // The focus goes along: to what is wrong, else to the step itself, which says which one it is.
  const shown = useRef(at)
  useEffect(() => {
    if (shown.current === at) return
    shown.current = at
    const wrong = wrongNames().find((name) => namesOf(at).includes(name))
    if (wrong) instance.scrollToField(wrong as never, { focus: true })
    else panels.current[at]?.focus()
  })

  return { at, go, toWrong, hear, panels }
}
