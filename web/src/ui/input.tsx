import Input from 'antd/es/input'

export type { InputProps, InputRef } from 'antd'

/** One line of text. */
export const TextInput = Input
/** One line that is not shown while it is typed. */
export const PasswordInput = Input.Password
/** Several lines. */
export const TextArea = Input.TextArea
