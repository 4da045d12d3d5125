import { type RefObject, useRef } from 'react'
import { useMessages } from '@/i18n/messages'
import type { FileKind, PixelSize } from '@/rules/files'
import { atMost } from '@/rules/lists'
import type { Rule } from '@/rules/violation'
import { Field, type FieldInput, type FieldProps } from '../form/field'
import { ImageInput } from './image-input'
import { imageMessages } from './image-messages'
import type { Picture, SendPicture } from './picture'

interface Limits {
  send: SendPicture
  /** Which endings, and how many bytes. */
  kind?: FileKind
  /** The pixel sizes that are taken; any where none is named. */
  sizes?: readonly PixelSize[]
}

/** One picture. It is sent when it is chosen; the value is what the server made of it. */
export function ImageField({ send, kind, sizes, ...field }: FieldProps<Picture> & Limits) {
  const { guard, sending } = useGuard()
  return (
    <Field {...field} guard={guard}>
      <OnePicture send={send} kind={kind} sizes={sizes} sending={sending} />
    </Field>
  )
}

/** Several pictures, in an order. */
export function ImagesField(props: FieldProps<readonly Picture[]> & Limits & { most: number }) {
  const { send, kind, sizes, most, rules = [], ...field } = props
  const { guard, sending } = useGuard()
  const few: Rule<readonly Picture[]> = (pictures) => atMost(most)(pictures.length)
  return (
    <Field {...field} rules={[...rules, few]} guard={guard}>
      <SomePictures send={send} kind={kind} sizes={sizes} most={most} sending={sending} />
    </Field>
  )
}

/** A form that is sent while a picture is on its way would be without it. */
function useGuard() {
  const m = useMessages(imageMessages)
  const sending = useRef(0)
  return { sending, guard: () => (sending.current > 0 ? m.still : undefined) }
}

interface InnerProps {
  send: SendPicture
  kind: FileKind | undefined
  sizes: readonly PixelSize[] | undefined
  sending: RefObject<number>
}

function OnePicture({ value, onChange, ...rest }: FieldInput<Picture> & InnerProps) {
  return <ImageInput {...rest} most={1} pictures={value ? [value] : []} onChange={(next) => onChange?.(next.at(-1))} />
}

function SomePictures({ value, onChange, ...rest }: FieldInput<readonly Picture[]> & InnerProps & { most: number }) {
  return <ImageInput {...rest} pictures={value ?? []} onChange={(next) => onChange?.(next)} />
}
