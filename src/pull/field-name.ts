// What a field of a post may be called. Intake knows the same rule.

import { z } from 'zod';

export const isFieldName = /^(?!(?:text|title|url|links|tags)$)[a-z][a-z0-9_]{0,63}$/;

/** The name of a field in map.fields: a post would come without a field of another name. */
export const FieldName = z
  .string()
  .regex(
    isFieldName,
    'cannot be the name of a field: it has small letters, digits and _, begins with a letter, and is none of text, title, url, links and tags',
  );
