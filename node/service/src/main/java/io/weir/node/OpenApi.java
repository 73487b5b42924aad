package io.weir.node;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/**
 * The OpenAPI description of a node, from the parts {@code openapi.json} beside the classes that they describe. The
 * first part is a whole description; the others add paths and components to it. The refusals that every operation has in
 * common are in no part.
 */
final class OpenApi {
  private static final String PART = "openapi.json";
  private static final String PATHS = "paths";
  private static final String COMPONENTS = "components";
  private static final Set<String> WITH_BODY = Set.of("post", "put", "patch");
  private static final JsonObject PROBLEM =
      new JsonObject().put("$ref", "#/components/responses/Problem");

  private OpenApi() {}

  /**
   * The merged description, as JSON.
   *
   * @param described classes with a part beside them, in the order of the description
   * @throws IllegalStateException if a part is missing, or two parts describe the same
   */
  static String of(List<Class<?>> described) {
    JsonObject whole = part(described.get(0));
    described.stream().skip(1).map(OpenApi::part).forEach(part -> add(part, whole));
    JsonObject paths = whole.getJsonObject(PATHS);
    paths.fieldNames().forEach(path -> addRefusalsOfAllDoors(paths.getJsonObject(path)));
    return whole.encode();
  }

  // The intake refuses an unknown query parameter, another method, and a body that stalls, before
  // it asks a door.
  private static void addRefusalsOfAllDoors(JsonObject operations) {
    for (String method : operations.fieldNames()) {
      JsonObject responses = operations.getJsonObject(method).getJsonObject("responses");
      List<String> statuses =
          WITH_BODY.contains(method) ? List.of("400", "405", "408") : List.of("400", "405");
      statuses.stream()
          .filter(status -> !responses.containsKey(status))
          .forEach(status -> responses.put(status, PROBLEM.copy()));
    }
  }

  /** Whether there is a part beside this class. */
  static boolean isIn(Class<?> described) {
    return described.getResource(PART) != null;
  }

  private static JsonObject part(Class<?> described) {
    try (InputStream in = described.getResourceAsStream(PART)) {
      if (in == null) {
        throw new IllegalStateException("%s: no %s".formatted(described.getName(), PART));
      }
      return JsonInput.object(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds the paths and components of a part to a description. */
  static void add(JsonObject part, JsonObject whole) {
    addMembers(part.getJsonObject(PATHS), whole.getJsonObject(PATHS));
    JsonObject components = part.getJsonObject(COMPONENTS, new JsonObject());
    JsonObject known = whole.getJsonObject(COMPONENTS);
    for (String kind : components.fieldNames()) {
      if (!known.containsKey(kind)) {
        known.put(kind, new JsonObject());
      }
      addMembers(components.getJsonObject(kind), known.getJsonObject(kind));
    }
  }

  private static void addMembers(JsonObject from, JsonObject to) {
    for (String name : from.fieldNames()) {
      if (to.containsKey(name)) {
        throw new IllegalStateException("'%s' is described twice".formatted(name));
      }
      to.put(name, from.getValue(name));
    }
  }
}
