import { line } from '@/rules/texts'
import { firstOf, type Rule, violation } from '@/rules/violation'

/** The path segment of an entry: letters, digits, `_`, `-` and `/`, at most 128. */
export const menuPath: Rule<string> = (text) =>
  firstOf(text, line(128), () => (/^[A-Za-z0-9_/-]*$/.test(text) ? undefined : violation('menu.path')))

/** A permission code: a letter, then letters, digits, `:`, `.`, `_` and `-`, at most 64; two words are taken. */
export const menuCode: Rule<string> = (text) =>
  firstOf(
    text,
    line(64),
    () => (/^[A-Za-z][A-Za-z0-9:._-]*$/.test(text) ? undefined : violation('menu.code')),
    () => (['admin', 'none'].includes(text) ? violation('menu.reserved') : undefined),
  )
