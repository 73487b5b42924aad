package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.extension.Capabilities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void everyDoorOfServicesNamesTheRefusalOfAnOperatorsToken() {
    operations().stream()
        .filter(operation -> operation.getJsonArray("security").encode().contains("serviceToken"))
        .forEach(operation ->
            assertThat(operation.getJsonObject("responses").fieldNames()).contains("401", "403"));
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
        .put("components", new JsonObject().put("headers", new JsonObject().put("Wait", "x")));
    JsonObject whole = description.copy();
    OpenApi.add(more, whole);
    assertThat(whole.getJsonObject("paths").fieldNames()).contains("/v1/new", "/v1/check");
    assertThat(whole.getJsonObject("components").getJsonObject("headers").getString("Wait"))
        .isEqualTo("x");
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
