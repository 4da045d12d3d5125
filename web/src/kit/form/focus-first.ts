const fields = 'input:not([type=hidden]):enabled, textarea:enabled'

/**
 * Puts the cursor into the first field of the form that has just opened, once it stands: the library gives it to the
 * drawer or dialog itself. Who has begun to type elsewhere keeps the cursor.
 */
export function focusFirst(isOpen: boolean, form: { current: HTMLElement | null }) {
  if (!isOpen || form.current?.contains(document.activeElement)) return
  form.current?.querySelector<HTMLElement>(fields)?.focus()
}
