"""Tests of names in generated C++."""

from __future__ import annotations

import dataclasses

import pytest

from rules.codegen.cpp_names import check_class_names, class_names, cpp_identifier, pascal_case
from rules.codegen.manifest_model import CodegenError, Method, Model


def _model(prefix: str = "app_net", *methods: str, target: str = "//app:net_pte") -> Model:
    found = tuple(Method(name, name, (), (), (), None, False, {}, (), (), ()) for name in methods or ("forward",))
    return Model(target, prefix, prefix, 1, False, found, (), {}, None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("image", "image"), ("new", "new_"), ("and", "and_"), ("2d", "_2d"), ("a-b", "a_b"), ("", "unnamed")],
)
def test_identifier_is_valid_cpp(name: str, expected: str) -> None:
    assert cpp_identifier(name) == expected


def test_type_name_is_pascal_case() -> None:
    assert [pascal_case(name) for name in ("encode_image", "forward", "3d_net")] == ["EncodeImage", "Forward", "_3dNet"]


def test_class_is_the_model_without_its_package() -> None:
    names = class_names(_model(), "other/folder")
    assert (names.namespace, names.name) == ("other::folder", "Net")
    assert class_names(_model("classify"), "models/new").namespace == "models::new_"
    assert class_names(_model(), "").namespace == "models"


def test_given_names_replace_defaults() -> None:
    names = class_names(_model(), "app", "acme::vision", "Classifier")
    assert (names.namespace, names.name) == ("acme::vision", "Classifier")


def test_method_does_not_hide_a_member() -> None:
    names = class_names(_model("net", "create", "forward"), "app")
    assert names.members == {"create": "create_", "forward": "forward"}


def test_methods_with_the_same_type_name_are_rejected() -> None:
    with pytest.raises(
        CodegenError, match="'a_b' and 'aB' of //app:net_pte have the same C\\+\\+ name 'AB'; rename one"
    ):
        class_names(_model("net", "a_b", "aB"), "app")


def test_classes_with_the_same_name_are_rejected() -> None:
    first, second = _model(), dataclasses.replace(_model(), target="//app:other_pte")
    names = [class_names(first, "app"), class_names(second, "app")]
    with pytest.raises(CodegenError, match="//app:net_pte and //app:other_pte have the same C\\+\\+ class 'Net'"):
        check_class_names([first, second], names)
