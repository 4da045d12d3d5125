import type { GetRef, InputNumberProps } from 'antd'
import InputNumber from 'antd/es/input-number'
import { type Ref, useImperativeHandle, useLayoutEffect, useRef } from 'react'

type InputNumberRef = GetRef<typeof InputNumber>
export type NumberInputProps = InputNumberProps<number>

/** A field for a number. */
export function NumberInput({ ref, ...props }: NumberInputProps & { ref?: Ref<InputNumberRef> }) {
  const own = useRef<InputNumberRef>(null)
  useImperativeHandle(ref, () => own.current as InputNumberRef)
  // The library calls its arrows "Increase Value" in every language. The field itself tells its value and follows the
  // arrow keys: a reader needs nothing else.
  useLayoutEffect(() => {
    const arrows = own.current?.nativeElement.querySelectorAll('[role=button]') ?? []
    for (const arrow of arrows) arrow.setAttribute('aria-hidden', 'true')
  })
  return <InputNumber<number> {...props} ref={own} />
}
