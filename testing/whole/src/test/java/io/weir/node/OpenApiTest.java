package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.answer.AnswerFields;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Limit;
import io.weir.core.decision.Remarks;
import io.weir.core.kind.Kind;
import io.weir.node.extension.Capabilities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The description that is merged from the parts of all doors. */
final class OpenApiTest {
  private static final String TEXT = OpenApi.of(Node.described(Capabilities.onClassPath()));
  private static final Pattern REFERENCE =
      Pattern.compile("\"#/components/([A-Za-z]+/[A-Za-z]+)\"");
  private static final Pattern PARAMETER = Pattern.compile("\\{([A-Za-z]+)}");
  private static final Pattern CONFLICT = Pattern.compile("\\b409,\\s*\"([a-z_]+)\"");
  private static final Pattern CODES = Pattern.compile("`[a-z_]+`(, `[a-z_]+`)*");

  private final JsonObject description = new JsonObject(TEXT);

  @Test
  void everyReferenceHasItsComponentAndEveryComponentIsUsed() {
    Set<String> described = new TreeSet<>();
    JsonObject components = description.getJsonObject("components");
    for (String kind : components.fieldNames()) {
      components.getJsonObject(kind).fieldNames().forEach(name -> described.add(kind + "/" + name));
    }
    Set<String> used = REFERENCE
        .matcher(TEXT)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
    operations()
        .forEach(operation -> operation
            .getJsonArray("security", new JsonArray())
            .forEach(scheme -> ((JsonObject) scheme)
                .fieldNames()
                .forEach(name -> used.add("securitySchemes/" + name))));
    assertThat(used).isEqualTo(described);
  }

  @Test
  void everyOperationHasANameOfItsOwn() {
    List<String> names = operations().stream()
        .map(operation -> operation.getString("operationId"))
        .toList();
    assertThat(names).isNotEmpty().doesNotHaveDuplicates().doesNotContainNull();
  }

  @Test
  void everyOperationHasTheRefusalsThatAllDoorsHaveInCommon() {
    JsonObject paths = description.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      JsonObject operations = paths.getJsonObject(path);
      for (String method : operations.fieldNames()) {
        Set<String> statuses =
            operations.getJsonObject(method).getJsonObject("responses").fieldNames();
        assertThat(statuses).as("%s %s", method, path).contains("400", "405");
        assertThat(statuses.contains("408"))
            .as("408 of %s %s", method, path)
            .isEqualTo(Set.of("post", "put", "patch").contains(method));
      }
    }
  }

  @Test
  void everyOperationIsOfOneDoor() {
    assertThat(operations())
        .allSatisfy(operation -> assertThat(operation.getJsonArray("tags")).hasSize(1));
  }

  @Test
  void everyConflictIsDescribedByItsCodes() {
    assertThat(operations())
        .map(operation -> operation.getJsonObject("responses").getJsonObject("409"))
        .filteredOn(conflict -> conflict != null)
        .isNotEmpty()
        .allSatisfy(conflict -> assertThat(conflict.getString("description")).matches(CODES));
    assertThat(conflictsOfSources())
        .hasSizeGreaterThan(10)
        .allSatisfy(code -> assertThat(TEXT).contains("`" + code + "`"));
  }

  private static List<String> conflictsOfSources() {
    return Stream.of("node", "work")
        .flatMap(folder -> sources(Path.of("../..", folder)).stream())
        .flatMap(source -> CONFLICT.matcher(source).results().map(found -> found.group(1)))
        .toList();
  }

  private static List<String> sources(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      List<String> texts = new ArrayList<>();
      for (Path file :
          files.filter(it -> it.toString().matches(".*/src/main/.*\\.java")).toList()) {
        texts.add(Files.readString(file));
      }
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // The errors of redocly's recommended rules.
  @Test
  void everyOperationSaysWhoMayAskForIt() {
    assertThat(description.getJsonArray("servers")).isNotEmpty();
    assertThat(operations()).allMatch(operation -> operation.containsKey("security"));
  }

  // Doors of services read a body also if none is described.
  @Test
  void everyDoorOfServicesNamesTheRefusalsOfItsGuardItsReaderAndItsStore() {
    assertThat(operationsWith("serviceToken"))
        .isNotEmpty()
        .allSatisfy(operation -> assertThat(statuses(operation)).contains("401", "403", "503"))
        .filteredOn(operation -> statuses(operation).contains("408"))
        .isNotEmpty()
        .allSatisfy(operation -> assertThat(statuses(operation)).contains("413"));
  }

  @Test
  void everyDoorOfOperatorsNamesTheRefusalOfAnotherScope() {
    assertThat(operationsWith("adminToken"))
        .isNotEmpty()
        .allSatisfy(operation -> assertThat(statuses(operation)).contains("401", "403"));
  }

  @Test
  void everyOperationWithABodyNamesTheRefusalOfALongOne() {
    assertThat(operations())
        .filteredOn(operation -> operation.containsKey("requestBody"))
        .isNotEmpty()
        .allSatisfy(operation -> assertThat(statuses(operation)).contains("413"));
  }

  @Test
  void everyHeaderOfADecisionIsDescribed() {
    Remarks remarks = new Remarks(
        1500, List.of("extra"), List.of("month"), OptionalLong.empty(), Optional.empty());
    List<Limit> limits = List.of(new Limit("rate", Kind.RATE, Scope.KEY, 1, 1, 1, 0, 1));
    Decision allowed = new Allowed(1, limits, true, remarks);
    Decision denied = new Denied(
            1, limits, List.of("rate"), 1, false, Optional.of("ticket"), true, remarks)
        .withId("id");
    assertThat(headers("/v1/check", "post", "200")).containsAll(headers(denied));
    assertThat(headers("/v1/authorize", "get", "200")).containsAll(headers(allowed));
    assertThat(headers("/v1/reservations", "post", "201")).containsAll(headers(allowed));
  }

  private static Set<String> headers(Decision decision) {
    Set<String> names = new TreeSet<>();
    AnswerFields.set(decision, (name, value) -> names.add(name));
    return names;
  }

  private Set<String> headers(String path, String method, String status) {
    JsonObject answer = description
        .getJsonObject("paths")
        .getJsonObject(path)
        .getJsonObject(method)
        .getJsonObject("responses")
        .getJsonObject(status);
    String reference = answer.getString("$ref", "");
    JsonObject response = reference.isEmpty() ? answer : component(reference);
    return response.getJsonObject("headers").fieldNames();
  }

  private JsonObject component(String reference) {
    JsonObject found = description;
    for (String name : reference.substring("#/".length()).split("/", -1)) {
      found = found.getJsonObject(name);
    }
    return found;
  }

  @Test
  void everyParameterOfAPathIsDescribed() {
    JsonObject paths = description.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      List<String> named =
          PARAMETER.matcher(path).results().map(found -> found.group(1)).toList();
      for (JsonObject operation : operations(paths.getJsonObject(path))) {
        assertThat(parametersOfPath(operation)).as(path).containsExactlyInAnyOrderElementsOf(named);
      }
    }
  }

  @Test
  void aPartThatDescribesAPathAgainIsRefused() {
    JsonObject again =
        new JsonObject().put("paths", new JsonObject().put("/v1/check", new JsonObject()));
    assertThatThrownBy(() -> OpenApi.add(again, description))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("'/v1/check' is described twice");
  }

  @Test
  void aPartAddsPathsAndComponentsOfANewKind() {
    JsonObject more = new JsonObject()
        .put("paths", new JsonObject().put("/v1/new", new JsonObject()))
        .put("components", new JsonObject().put("links", new JsonObject().put("Wait", "x")));
    JsonObject whole = description.copy();
    OpenApi.add(more, whole);
    assertThat(whole.getJsonObject("paths").fieldNames()).contains("/v1/new", "/v1/check");
    assertThat(whole.getJsonObject("components").getJsonObject("links").getString("Wait"))
        .isEqualTo("x");
  }

  private List<JsonObject> operationsWith(String token) {
    return operations().stream()
        .filter(operation -> operation.getJsonArray("security").encode().contains(token))
        .toList();
  }

  private static Set<String> statuses(JsonObject operation) {
    return operation.getJsonObject("responses").fieldNames();
  }

  private List<JsonObject> operations() {
    JsonObject paths = description.getJsonObject("paths");
    List<JsonObject> all = new ArrayList<>();
    paths.fieldNames().forEach(path -> all.addAll(operations(paths.getJsonObject(path))));
    return all;
  }

  private static List<JsonObject> operations(JsonObject path) {
    return path.fieldNames().stream().map(path::getJsonObject).toList();
  }

  private static List<String> parametersOfPath(JsonObject operation) {
    List<String> names = new ArrayList<>();
    operation.getJsonArray("parameters", new JsonArray()).forEach(parameter -> {
      JsonObject one = (JsonObject) parameter;
      if ("path".equals(one.getString("in"))) {
        names.add(one.getString("name"));
      }
    });
    return names;
  }
}
