package io.weir.core.policy.read;

import io.weir.core.policy.schema.Section;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A rule about the whole policy.
 *
 * @param code of the problem of a policy that breaks it
 * @param check finds the places where it is broken
 */
record PolicyCheck(String code, Function<PolicyDraft, Stream<Finding>> check) {
  /** A place where a rule is broken: a field of a section, or the section itself if the field is empty. */
  record Finding(Section section, String field, String message) {
    Finding(Section section, String message) {
      this(section, "", message);
    }
  }

  void reportErrors(PolicyDraft draft) {
    check.apply(draft).forEach(found -> {
      if (found.field.isEmpty()) {
        found.section.error(code, found.message);
      } else {
        found.section.error(code, found.field, found.message);
      }
    });
  }

  void reportWarnings(PolicyDraft draft) {
    check.apply(draft).forEach(found -> {
      if (found.field.isEmpty()) {
        found.section.warning(code, found.message);
      } else {
        found.section.warning(code, found.field, found.message);
      }
    });
  }
}
