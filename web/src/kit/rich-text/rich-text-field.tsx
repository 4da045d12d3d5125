import { lazy, Suspense } from 'react'
import { useMessages } from '@/i18n/messages'
import { byteSize } from '@/rules/format'
import type { EditorWords, RichTextEditorProps } from '@/ui/rich-text-editor'
import { Skeleton } from '@/ui/skeleton'
import { Field, type FieldInput, type FieldProps } from '../form/field'
import { useLabel } from '../labels'
import { kitMessages } from '../messages'
import { richTextMessages } from './rich-text-messages'

const Editor = lazy(() => import('@/ui/rich-text-editor'))

/** What the server takes of a formatted text. */
const mostBytes = 64 * 1024

/** A formatted text. The value is HTML; an empty text is an empty string. */
export function RichTextField(field: FieldProps<string>) {
  const m = useMessages(richTextMessages)
  const label = useLabel(field.name, field.label)
  const guard = (html = '') => {
    const size = new TextEncoder().encode(html).length
    return size > mostBytes ? m.tooLong(byteSize(size), byteSize(mostBytes)) : undefined
  }
  return (
    <Field {...field} guard={guard}>
      <RichTextInput label={label} words={m.editor} />
    </Field>
  )
}

function RichTextInput({ label, onBlur, ...rest }: FieldInput<string> & { label: string; words: EditorWords }) {
  const m = useMessages(kitMessages)
  return (
    <Suspense fallback={<Skeleton label={m.loading} />}>
      {/* The cursor left; nothing of the event is needed. */}
      <Editor {...(rest as RichTextEditorProps)} aria-label={label} onBlur={() => onBlur?.({} as never)} />
    </Suspense>
  )
}
