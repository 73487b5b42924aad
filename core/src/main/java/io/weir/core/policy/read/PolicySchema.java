package io.weir.core.policy.read;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.JsonSchema;
import java.util.List;
import java.util.Map;

/** The fields of the policies that this program reads, with those of the extensions on its class path. */
public final class PolicySchema {
  private PolicySchema() {}

  /** The JSON Schema (draft 2020-12), as mappings, lists, texts, numbers, and true or false. */
  public static Map<String, Object> schema() {
    return JsonSchema.document("A policy of Weir", PolicyReader.table());
  }

  /** The fields of each kind of section, by the name of its table; that of the document first. */
  public static Map<String, List<Field<?>>> tables() {
    return JsonSchema.tables(PolicyReader.table());
  }
}
