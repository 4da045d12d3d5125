import createPurifier from 'dompurify'

// An instance of our own: hooks are for ever, and nobody else's texts are meant.
const purifier = createPurifier(window)

/** Links of a text lead out of the console, and the page that they lead to learns nothing of it. */
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

/** What the editor can make, and nothing else: no style, no picture, no frame, no script. */
const allowed = {
  ALLOWED_TAGS: ['p', 'br', 'strong', 'b', 'em', 'i', 'u', 'h2', 'h3', 'ul', 'ol', 'li', 'a'],
  ALLOWED_ATTR: ['href'],
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

/** A formatted text with everything taken out that could do more than be read. */
export const safeHtml = (html: string): string => purifier.sanitize(html, allowed)
