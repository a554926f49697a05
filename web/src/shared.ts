/** What the second script of the page takes from the first, so that no page holds it twice. build.mjs writes the list. */

export {}
